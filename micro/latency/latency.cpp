// Latency under an open-loop load: items are due at constant intervals, whatever becomes of those before
// them, and the latency of an item counts from the moment it was due. At fixed rates, and at shares of what
// the machine can do at all.
#include <algorithm>
#include <cstdio>
#include <exception>

#include "../session.hpp"
#include "../support/raw.hpp"

namespace micro {
namespace {

constexpr double work_time = 5'000;  // nanoseconds an item

struct load {
  std::string name;
  double rate;  // items per second
  double seconds;
};

/// What one run of one contender gave.
struct segment {
  double p50, p99, p999, max;  // microseconds
  double processor;            // cores used
};

struct runner {
  contender who;
  const peer* from;
  int repeats;
  std::vector<segment> segments;
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

void compare_under(const load& load, even_work work, session& s) {
  const auto items = std::max(std::uint64_t{100}, static_cast<std::uint64_t>(load.rate * load.seconds));
  const auto how = load.rate > 1'000 ? pacing::sleep_then_spin : pacing::sleep;
  const paced_program program{open_loop(items, 1e9 / load.rate, how), {work}, items};
  const auto expected = loop(even_farm{items, work}).run();  // the same values, in the same order

  std::vector<runner> runners;
  runners.push_back({default_of(s.peers.thalweg().contenders(program)), &s.peers.thalweg(), s.repeats, {}});
  for (const auto& peer : s.peers.peers()) {
    const bool judge = peer->name() == "oneTBB";
    const int repeats = judge ? s.repeats : std::min(s.repeats, 3);  // the others are shown, not judged by
    runners.push_back({default_of(peer->contenders(program)), peer.get(), repeats, {}});
  }
  for (int repeat = 0; repeat < s.repeats; ++repeat) {
    s.out.progress("latency", repeat, s.repeats, load.name);
    std::shuffle(runners.begin(), runners.end(), s.random);
    for (auto& r : runners) {
      if (repeat >= r.repeats || r.failed) continue;
      try {
        r.segments.push_back(measure(r.who, program, expected));
      } catch (const std::exception& e) {
        r.failed = true;
        s.out.wrong("latency", load.name, r.who.peer, e.what());
      }
    }
  }
  s.out.progress("latency", s.repeats, s.repeats, load.name);

  const auto judge = std::find_if(runners.begin(), runners.end(),
                                  [](const runner& r) { return r.from->name() == "oneTBB"; });
  for (const auto& r : runners) {
    if (r.failed) continue;
    for (const auto& m : metrics) {
      row out;
      out.bench = "latency";
      out.variant = load.name;
      out.peer = r.who.peer;
      out.setting = r.who.setting;
      out.metric = m.name;
      out.unit = m.unit;
      std::vector<double> values;
      for (const auto& segment : r.segments) values.push_back(segment.*m.value);
      out.value = estimate_median(values);
      if (judge != runners.end() && !judge->failed && judge->from != r.from) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < values.size(); ++i)
          ratios.push_back(values[i] / judge->segments[i].*m.value);
        out.against = judge->who.peer;
        out.ratio = estimate_median(ratios);
        if (m.limit && r.from == &s.peers.thalweg()) out.limit = bar{*m.limit, bar_on::ratio};
      }
      out.items = items * r.segments.size();
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
  // Over all repeats 100 000 items or more, or the 99.9th percentile would be one of a few.
  compare_under({"1 k/s", 1e3, 10 * full}, work, s);
  compare_under({"10 k/s", 1e4, 1 * full}, work, s);
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
  const even_work work{s.work.steps(1'000)};
  const auto items = static_cast<std::uint64_t>(rate * (s.quick ? 1 : 3));
  const paced_program program{open_loop(items, 1e9 / rate, pacing::sleep), {work}, items};
  const auto expected = loop(even_farm{items, work}).run();

  std::vector<runner> runners;
  runners.push_back({{"loop", "one thread", true,
                      [program] {
                        open_loop source = program.source;
                        checksum sum;
                        while (auto item = source()) sum(program.work(*item).value);
                        return sum.value();
                      }},
                     nullptr,
                     1,
                     {}});
  runners.push_back({default_of(s.peers.thalweg().contenders(program)), &s.peers.thalweg(), 3, {}});
  for (const auto& peer : s.peers.peers()) {
    runners.push_back(
        {default_of(peer->contenders(program)), peer.get(), peer->name() == "oneTBB" ? 3 : 1, {}});
  }
  int done = 0;
  for (const auto& r : runners) {
    s.out.progress("idle", done++, static_cast<int>(runners.size()), r.who.peer);
    std::vector<double> shares;
    try {
      for (int i = 0; i < r.repeats; ++i) {
        const sample taken = measure_once(r.who, expected);
        shares.push_back(100 * taken.processor / taken.wall);
      }
    } catch (const std::exception& e) {
      s.out.wrong("idle", "100 items/s", r.who.peer, e.what());
      continue;
    }
    row out;
    out.bench = "idle";
    out.variant = "100 items/s";
    out.peer = r.who.peer;
    out.setting = r.who.setting;
    out.role = r.from == nullptr ? "reference" : "default";
    out.metric = "cpu";
    out.unit = "% of a core";
    out.value = estimate_median(shares);
    if (r.from == &s.peers.thalweg()) out.limit = bar{0.5, bar_on::value};
    out.items = items;
    out.repeats = r.repeats;
    s.out.result(out);
  }
  s.out.progress("idle", done, done, "done");
}

}  // namespace micro
