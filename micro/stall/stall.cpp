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

/// What one run gave.
struct ages {
  double oldest;       // microseconds
  double held;         // items
  double parallelism;  // cores
};

stalling_program program_of(const burst& b, even_work work) {
  const auto items = b.length * b.stalls;
  return {stalling(items, b.length, stall), {work}, items};
}

ages measure(const contender& who, const stalling_program& program, std::uint64_t expected) {
  const auto taken = measure_once(who, expected);
  const auto& latency = program.seen->latency;
  return {static_cast<double>(*std::max_element(latency.begin(), latency.end())) / 1e3,
          static_cast<double>(
              std::count_if(latency.begin(), latency.end(), [](nanos age) { return age > stall / 2; })),
          taken.processor / taken.wall};
}

}  // namespace

void run_stall(session& s) {
  const even_work work{s.work.steps(1'000)};
  const int repeats = s.quick ? 1 : 3;
  for (const burst& b : bursts) {
    const auto program = program_of(b, work);
    const auto shorter = program_of({b.length, 2}, work);
    const auto variant = "bursts of " + std::to_string(b.length);

    const auto show = [&, expected = expected_of(program)](const contender& who, const std::string& role,
                                                           std::optional<double> limit = {}) {
      std::vector<double> oldest;
      std::vector<double> held;
      std::vector<double> used;
      try {
        for (int i = 0; i < repeats; ++i) {
          s.out.progress("stall", i, repeats, variant + ": " + who.peer + ", " + who.setting);
          const auto found = measure(who, program, expected);
          oldest.push_back(found.oldest);
          held.push_back(found.held);
          used.push_back(found.parallelism);
        }
      } catch (const std::exception& e) {
        s.out.wrong("stall", variant, who.peer + ", " + who.setting, e.what());
        return;
      }
      row out;
      out.bench = "stall";
      out.variant = variant;
      out.peer = who.peer;
      out.setting = who.setting;
      out.role = role;
      out.items = program.items;
      out.repeats = repeats;
      out.parallelism = used;
      out.metric = "oldest";
      out.unit = "µs";
      out.samples = oldest;
      s.out.result(out);
      out.metric = "held";
      out.unit = "items";
      out.samples = held;
      if (limit) out.limit = bar{*limit, bar_on::value};
      s.out.result(out);
    };
    show(default_of(s.peers.thalweg().contenders(program)), "default", 0.0);
    const auto oldest = [&, expected = expected_of(shorter)](const contender& who) {
      return measure(who, shorter, expected).oldest;
    };
    for (const auto& peer : s.peers.peers()) {
      const auto settings = peer->contenders(program);
      show(default_of(settings), "default");
      const auto best = best_setting(peer->contenders(shorter), oldest, "stall", variant, s.out);
      if (best) show(settings[*best], "tuned");
    }
    s.out.progress("stall", repeats, repeats, variant);
  }
}

}  // namespace micro
