// Latency under an open-loop load: items are due at constant intervals, whatever becomes of those before
// them, and the latency of an item counts from the moment it was due. At fixed rates, and at shares of what
// the machine can do at all.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "../session.hpp"
#include "../support/raw.hpp"
#include "../support/statistics.hpp"

namespace micro {
namespace {

constexpr double work_time = 5'000;  // nanoseconds an item
constexpr auto judge_name = "oneTBB";
constexpr int shown_repeats = 5;        // of peers that are shown, but not judged by
constexpr double judged_items = 1e5;    // of those that are, or p99.9 would be one of a few
constexpr double paced_up_to = 10'000;  // items per second; beyond, there is no time to wait in

struct load {
  std::string name;
  double rate;     // items per second
  double seconds;  // of one run
};

/// What one run of one contender gave.
struct segment {
  double p50, p99, p999, max;  // microseconds
  double processor;            // cores used
};

struct runner {
  contender who;
  std::string role;
  int repeats;
  bool judged = false;
  std::vector<segment> segments = {};
  bool failed = false;
};

struct metric {
  const char* name;
  const char* unit;
  double segment::*value;
  std::optional<double> limit;  // of thalweg's ratio to oneTBB
};

const metric metrics[] = {{"p50", "µs", &segment::p50, 1.0},
                          {"p99", "µs", &segment::p99, 1.0},
                          {"p99.9", "µs", &segment::p999, 1.2},
                          {"max", "µs", &segment::max, {}},
                          {"cpu", "cores", &segment::processor, 1.0}};

segment measure(const contender& who, const paced_program& program, std::uint64_t expected) {
  const sample taken = measure_once(who, expected);
  auto& latency = program.seen->latency;
  std::sort(latency.begin(), latency.end());
  const auto at = [&](double share) {
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(latency.size()));
    return static_cast<double>(latency[std::min(rank, latency.size() - 1)]) / 1e3;
  };
  return {at(0.5), at(0.99), at(0.999), static_cast<double>(latency.back()) / 1e3,
          taken.processor / taken.wall};
}

paced_program program_at(double rate, double seconds, pacing how, even_work work) {
  const auto items = static_cast<std::uint64_t>(rate * seconds);
  return {open_loop(items, 1e9 / rate, how), {work}, items};
}

/// Thalweg, with the benchmark's source and its own, and each peer with its defaults and with the setting
/// that has the lowest p99 in short trials.
std::vector<runner> entrants(const load& load, const paced_program& program, const paced_program& shorter,
                             session& s) {
  std::vector<runner> all;
  const auto needed = static_cast<int>(std::ceil(judged_items / static_cast<double>(program.items)));
  const int judged = s.quick ? s.repeats : std::max(s.repeats, needed);
  all.push_back({default_of(s.peers.thalweg().contenders(program)), "default", judged, true});
  if (load.rate <= paced_up_to) all.push_back({thalweg_paced(program), "default", s.repeats});
  const auto expected = expected_of(shorter);
  const auto p99 = [&](const contender& who) { return measure(who, shorter, expected).p99; };
  for (const auto& peer : s.peers.peers()) {
    const int shown = std::min(s.repeats, shown_repeats);
    const auto settings = peer->contenders(program);
    all.push_back({default_of(settings), "default", peer->name() == judge_name ? judged : shown});
    const auto best = best_setting(peer->contenders(shorter), p99, "latency", load.name, s.out);
    if (best) all.push_back({settings[*best], "tuned", shown});
  }
  return all;
}

void compare_under(const load& load, even_work work, session& s) {
  const auto how = load.rate > 1'000 ? pacing::sleep_then_spin : pacing::sleep;
  const auto program = program_at(load.rate, load.seconds, how, work);
  const auto expected = expected_of(program);
  auto runners = entrants(load, program, program_at(load.rate, load.seconds / 4, how, work), s);
  const int repeats = std::ranges::max(runners, {}, &runner::repeats).repeats;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    s.out.progress("latency", repeat, repeats, load.name);
    std::shuffle(runners.begin(), runners.end(), s.random);
    for (auto& r : runners) {
      if (repeat >= r.repeats || r.failed) continue;
      try {
        r.segments.push_back(measure(r.who, program, expected));
      } catch (const std::exception& e) {
        r.failed = true;
        s.out.wrong("latency", load.name, r.who.peer + ", " + r.who.setting, e.what());
      }
    }
  }
  s.out.progress("latency", repeats, repeats, load.name);

  const auto judge = std::find_if(runners.begin(), runners.end(), [](const runner& r) {
    return r.who.peer == judge_name && r.who.is_default;
  });
  for (const auto& r : runners) {
    if (r.failed) continue;
    for (const auto& m : metrics) {
      row out;
      out.bench = "latency";
      out.variant = load.name;
      out.peer = r.who.peer;
      out.setting = r.who.setting;
      out.role = r.role;
      out.metric = m.name;
      out.unit = m.unit;
      std::vector<double> values;
      for (const auto& segment : r.segments) values.push_back(segment.*m.value);
      out.samples = values;
      if (judge != runners.end() && !judge->failed && &*judge != &r) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < values.size(); ++i)
          ratios.push_back(values[i] / judge->segments[i].*m.value);
        out.against = judge->who.peer;
        out.ratios = ratios;
        if (m.limit && r.judged) out.limit = bar{*m.limit, bar_on::ratio};
      }
      out.items = program.items * r.segments.size();
      out.repeats = static_cast<int>(r.segments.size());
      s.out.result(out);
    }
  }
}

/// Items per second that bare threads on all cores work off: nothing can do more.
double capacity(even_work work, const session& s) {
  const even_farm program{s.items(work_time), work};
  const auto who = raw(program);
  const auto expected = loop(program).run();
  std::vector<double> rates;
  for (int i = 0; i < 5; ++i) {
    rates.push_back(1e9 * static_cast<double>(program.items) / measure_once(who, expected).wall);
  }
  return median_of(rates);
}

}  // namespace

void run_latency(session& s) {
  const even_work work{s.work.steps(work_time)};
  const double full = s.quick ? 0.25 : 1;
  // From 10 k/s on each contender has 100 000 items or more over `shown_repeats` repeats. At 1 k/s only those
  // that are judged have, for it takes each of them 100 s.
  compare_under({"1 k/s", 1e3, 2 * full}, work, s);
  compare_under({"10 k/s", 1e4, 2 * full}, work, s);
  compare_under({"100 k/s", 1e5, 0.5 * full}, work, s);
  const double all = capacity(work, s);
  for (const double share : {0.3, 0.7, 1.0, 1.5}) {
    char name[32];
    std::snprintf(name, sizeof name, "%.1f of capacity", share);
    compare_under({name, share * all, 60e3 * full / (share * all)}, work, s);
  }
}

void run_idle(session& s) {
  constexpr double rate = 100;
  const std::string variant = "100 items/s";
  const even_work work{s.work.steps(1'000)};
  const auto program = program_at(rate, s.quick ? 1 : 3, pacing::sleep, work);
  const auto shorter = program_at(rate, 0.4, pacing::sleep, work);
  const auto percent_of_a_core = [](const contender& who, std::uint64_t expected) {
    const sample taken = measure_once(who, expected);
    return 100 * taken.processor / taken.wall;
  };

  const auto show = [&, expected = expected_of(program)](const contender& who, const std::string& role,
                                                         int repeats, std::optional<double> limit = {}) {
    std::vector<double> shares;
    try {
      for (int i = 0; i < repeats; ++i) {
        s.out.progress("idle", i, repeats, who.peer + ", " + who.setting);
        shares.push_back(percent_of_a_core(who, expected));
      }
    } catch (const std::exception& e) {
      s.out.wrong("idle", variant, who.peer + ", " + who.setting, e.what());
      return;
    }
    row out;
    out.bench = "idle";
    out.variant = variant;
    out.peer = who.peer;
    out.setting = who.setting;
    out.role = role;
    out.metric = "cpu";
    out.unit = "% of a core";
    out.samples = shares;
    if (limit) out.limit = bar{*limit, bar_on::value};
    out.items = program.items;
    out.repeats = repeats;
    s.out.result(out);
  };
  show({"loop", "one thread", true,
        [program] {
          open_loop source = program.source;
          checksum sum;
          while (auto item = source()) sum(program.work(*item).value);
          return sum.value();
        }},
       "reference", 1);
  show(default_of(s.peers.thalweg().contenders(program)), "default", 3, 0.5);
  const auto cost = [&, expected = expected_of(shorter)](const contender& who) {
    return percent_of_a_core(who, expected);
  };
  for (const auto& peer : s.peers.peers()) {
    const int repeats = peer->name() == judge_name ? 3 : 1;
    const auto settings = peer->contenders(program);
    show(default_of(settings), "default", repeats);
    const auto best = best_setting(peer->contenders(shorter), cost, "idle", variant, s.out);
    if (best) show(settings[*best], "tuned", repeats);
  }
  s.out.progress("idle", 1, 1, "done");
}

}  // namespace micro
