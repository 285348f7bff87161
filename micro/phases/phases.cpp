// What an item costs changes while the stream runs: a farm of cheap items gets expensive ones, all at once,
// now and then, in a burst, or behind a stage that lets few pass. A run that has settled on one thread must
// share the work from then on. The expensive items sleep, so that four are worked on at once on any machine;
// the reference has a thread for each replica from the start, which is the best fixed choice for them.
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

#include "../session.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

constexpr int replicas = 4;
constexpr auto expensive_time = std::chrono::milliseconds(5);
constexpr auto giant_time = std::chrono::milliseconds(40);
constexpr double limit = 1.15;

using predicate = std::function<bool(std::uint64_t)>;

/// `front | farm | sink`: those items sleep that `is_expensive`.
template <class Front>
contender sleeping(const Front& front, const predicate& is_expensive, std::chrono::nanoseconds time,
                   const tw::any_policy& policy) {
  return {"thalweg", policy.name(), true, [=] {
            checksum sink;
            tw::run(Front(front) |
                        tw::farm(
                            [&](std::uint64_t x) {
                              if (is_expensive(x)) std::this_thread::sleep_for(time);
                              return x;
                            },
                            {.replicas = replicas}) |
                        tw::sink([&](std::uint64_t x) { sink(x); }),
                    policy);
            return sink.value();
          }};
}

auto count_to(std::uint64_t items) {
  return tw::source(counter(0, items));
}

bool always(std::uint64_t) {
  return true;
}

template <class Front>
void compare(session& s, const char* variant, std::uint64_t items, const Front& front,
             const predicate& is_expensive, std::chrono::nanoseconds time = expensive_time) {
  const auto expected = sleeping(front, is_expensive, std::chrono::nanoseconds{0}, tw::sequential{}).run();
  experiment all("phases", variant, items);
  const auto reference = all.reference(sleeping(front, is_expensive, time, tw::threads{}), expected);
  all.add(sleeping(front, is_expensive, time, tw::pool{.workers = replicas}), expected, reference, limit);
  all.add(sleeping(front, is_expensive, time, tw::pool{}), expected, reference);
  all.run(s.repeats, s.out, s.random);
}

}  // namespace

void run_phases(session& s) {
  const std::uint64_t many = s.quick ? 40 : 120;  // of expensive items
  const std::uint64_t cheap = 100'000;
  for (const std::uint64_t k : {16, 100}) {
    const auto front = count_to(many * k) | tw::filter([k](std::uint64_t x) { return x % k == 0; });
    compare(s, k == 16 ? "behind a filter, 1 of 16" : "behind a filter, 1 of 100", many, front, always);
  }
  compare(
      s, "behind a window", many,
      count_to(10 * many) | tw::window(tw::count(10), tw::count_of()) |
          tw::map([](const tw::windowed<std::int64_t>& w) { return static_cast<std::uint64_t>(w.value); }),
      always);
  compare(s, "a step", many, count_to(cheap + many), [=](std::uint64_t x) { return x > cheap; });
  compare(s, "every hundredth", many, count_to(100 * many), [](std::uint64_t x) { return x % 100 == 0; });
  compare(
      s, "rare giants", many / 8, count_to(many / 8 * 2'500), [](std::uint64_t x) { return x % 2'500 == 0; },
      giant_time);
  compare(s, "a burst at the end", many,
          count_to(cheap) | tw::flat_map([=](std::uint64_t x, tw::emitter<std::uint64_t>& out) {
            if (x < cheap) return;
            for (std::uint64_t i = 1; i <= many; ++i) out.send(i);
          }),
          always);
}

}  // namespace micro
