// Thalweg itself, under each policy, with the options a user gets who sets none, and with a bound on items.
#include <thalweg/thalweg.hpp>

#include <utility>

#include "../session.hpp"
#include "peer_of.hpp"
#include "registry.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

template <class Policy> struct engine {
  static constexpr auto name = "thalweg";

  struct setting : common_setting {
    std::int64_t capacity = tw::automatic;  // of every stage but the source
  };

  static std::vector<setting> settings() {
    const auto policy = tw::any_policy(Policy{}).name();
    return {{{policy, true}}, {{policy + ", capacity 16"}, 16}};
  }

  template <class Source, class Work, class Sink>
  static void farm(const setting& s, Source& source, const Work& work, Sink& sink,
                   int replicas = tw::automatic) {
    using item = item_of<Source>;
    tw::run(tw::source([&] { return source(); }) |
                tw::farm(work, {.replicas = replicas, .capacity = s.capacity}) |
                tw::sink([&](item x) { sink(std::move(x)); }, {.capacity = s.capacity}),
            Policy{});
  }

  template <class Source, class First, class Middle, class Second, class Sink>
  static void sandwich(const setting& s, Source& source, const First& first, Middle& middle,
                       const Second& second, Sink& sink) {
    using item = item_of<Source>;
    const tw::options bound{.capacity = s.capacity};
    tw::run(tw::source([&] { return source(); }) | tw::farm(first, bound) |
                tw::map([&](item x) { return middle(std::move(x)); }, bound) | tw::farm(second, bound) |
                tw::sink([&](item x) { sink(std::move(x)); }, bound),
            Policy{});
  }
};

}  // namespace

std::unique_ptr<peer> make_thalweg() {
  return std::make_unique<peer_of<engine<tw::pool>>>();
}
std::unique_ptr<peer> make_thalweg_sequential() {
  return std::make_unique<peer_of<engine<tw::sequential>>>();
}
std::unique_ptr<peer> make_thalweg_threads() {
  return std::make_unique<peer_of<engine<tw::threads>>>();
}

contender thalweg_with_replicas(const even_farm& program, int replicas) {
  return {"thalweg", std::to_string(replicas) + " replicas", true, [=] {
            counter source{0, program.items};
            checksum sink;
            engine<tw::pool>::farm({}, source, program.work, sink, replicas);
            return sink.value();
          }};
}

contender thalweg_paced(const paced_program& program) {
  return {"thalweg", tw::any_policy(tw::pool{}).name() + ", tw::paced", false, [program] {
            program.seen->expect(program.items);
            const double interval = program.source.interval();
            std::uint64_t sent = 0;
            nanos start = 0;
            const auto next = [&]() -> std::optional<stamped> {
              if (sent == program.items) return std::nullopt;
              if (sent == 0) start = now();  // the first item is due when it is asked for
              const auto due = start + static_cast<nanos>(interval * static_cast<double>(sent));
              return stamped{++sent, due};
            };
            arrival_sink sink{*program.seen};
            tw::run(tw::paced(next, 1e9 / interval) | tw::farm(program.work) |
                    tw::sink([&](stamped x) { sink(x); }));
            return sink.value();
          }};
}

}  // namespace micro
