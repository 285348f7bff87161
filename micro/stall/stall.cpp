// A source that gives a burst and then stalls: no item of the burst may wait in a half-filled batch for the
// source to come back. Shows how old the items were when they reached the sink, and how many had to wait out
// a stall.
#include <algorithm>
#include <exception>

#include "../session.hpp"
#include "../support/raw.hpp"

namespace micro {
namespace {

constexpr nanos stall = 40'000'000;

struct burst {
  std::uint64_t length;
  std::uint64_t stalls;
};

// The longer the source has been fast, the more an engine is tempted to trust it.
constexpr burst bursts[] = {{10, 10}, {1'000, 10}, {100'000, 4}};

}  // namespace

void run_stall(session& s) {
  const even_work work{s.work.steps(1'000)};
  const int repeats = s.quick ? 1 : 3;
  for (const burst& b : bursts) {
    const auto items = b.length * b.stalls;
    const stalling_program program{stalling(items, b.length, stall), {work}, items};
    const auto expected = loop(even_farm{items, work}).run();
    const auto variant = "bursts of " + std::to_string(b.length);

    const auto show = [&](const contender& who, std::optional<double> limit) {
      std::vector<double> oldest;
      std::vector<double> held;
      std::vector<double> used;
      try {
        for (int i = 0; i < repeats; ++i) {
          s.out.progress("stall", i, repeats, variant + ": " + who.peer);
          const auto taken = measure_once(who, expected);
          used.push_back(taken.processor / taken.wall);
          const auto& ages = program.seen->latency;
          oldest.push_back(static_cast<double>(*std::max_element(ages.begin(), ages.end())) / 1e3);
          held.push_back(static_cast<double>(
              std::count_if(ages.begin(), ages.end(), [](nanos age) { return age > stall / 2; })));
        }
      } catch (const std::exception& e) {
        s.out.wrong("stall", variant, who.peer, e.what());
        return;
      }
      row out;
      out.bench = "stall";
      out.variant = variant;
      out.peer = who.peer;
      out.setting = who.setting;
      out.items = items;
      out.repeats = repeats;
      out.parallelism = median_of(used);
      out.metric = "oldest";
      out.unit = "µs";
      out.value = estimate_median(oldest);
      s.out.result(out);
      out.metric = "held";
      out.unit = "items";
      out.value = estimate_median(held);
      if (limit) out.limit = bar{*limit, bar_on::value};
      s.out.result(out);
    };
    show(default_of(s.peers.thalweg().contenders(program)), 0.0);
    for (const auto& peer : s.peers.peers()) show(default_of(peer->contenders(program)), {});
    s.out.progress("stall", repeats, repeats, variant);
  }
}

}  // namespace micro
