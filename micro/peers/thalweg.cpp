// Thalweg itself, under each policy, with the options a user gets who sets none.
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

  struct setting : common_setting {};

  static std::vector<setting> settings() { return {{{tw::any_policy(Policy{}).name(), true}}}; }

  template <class Source, class Work, class Sink>
  static void farm(const setting&, Source& source, const Work& work, Sink& sink, tw::options options = {}) {
    using item = item_of<Source>;
    tw::run(tw::source([&] { return source(); }) | tw::farm(work, std::move(options)) |
                tw::sink([&](item x) { sink(std::move(x)); }),
            Policy{});
  }

  template <class Source, class First, class Middle, class Second, class Sink>
  static void sandwich(const setting&, Source& source, const First& first, Middle& middle,
                       const Second& second, Sink& sink) {
    using item = item_of<Source>;
    tw::run(tw::source([&] { return source(); }) | tw::farm(first) |
                tw::map([&](item x) { return middle(std::move(x)); }) | tw::farm(second) |
                tw::sink([&](item x) { sink(std::move(x)); }),
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
            engine<tw::pool>::farm({}, source, program.work, sink, {.replicas = replicas});
            return sink.value();
          }};
}

}  // namespace micro
