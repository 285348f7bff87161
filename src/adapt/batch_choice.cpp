#include "batch_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "batch_seen.hpp"
#include "demand.hpp"
#include "numbers.hpp"
#include "waiting.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

using std::chrono::nanoseconds;

constexpr double step = 0.9;  // from one interval that is looked at to the next
constexpr double shortest_interval = 100e-6;
// Runs (seconds): the least and the most work that one may be told to hold, and the least that is asked for.
constexpr double longest_run = 500e-6, shortest_run = 10e-6;
constexpr double worth_it = 0.95;  // of what it is now
constexpr double worth_lengthening = 1.25;
constexpr double worth_more_work = 1.1;       // what a stage can do, by what it could
constexpr double furthest = 4;                // in one step: sizes that nobody has seen are a guess
constexpr double most_processors_used = 0.9;  // of those that may be: more would make all stages wait

nanoseconds as_time(double seconds) {
  // Whole microseconds: it is read by people. 0 would be no time at all.
  return std::chrono::microseconds(std::max(1LL, std::llround(seconds * 1e6)));
}

// What becomes of the stages behind a batch with another interval.
struct outlook {
  std::vector<stage_times> times;
  double load = 0;        // of the stage that is busiest with batches
  double processors = 0;  // that are used more
};

double interval_of(const window& w, const timed_batch& b) {
  return as_seconds(w.stages[b.stage].batch->interval);
}

bool shows(const window& w, const timed_batch& b) {
  const auto& s = w.stages[b.stage];
  return s.items_in > 0 && batches_closed(w, s) > 0;
}

void foresee(const window& w, const timed_batch& b, double interval, outlook& to) {
  if (!shows(w, b)) return;
  const auto& s = w.stages[b.stage];
  const auto seen = look_at_batches(w, b.stage);
  const auto now = interval_of(w, b);
  const auto each_second = seen.items / seen.interval;
  // It may be another limit that closes batches.
  const auto by_items = s.batch->items > 0 ? static_cast<double>(s.batch->items) / each_second
                                           : std::numeric_limits<double>::infinity();
  auto next = std::min(interval + std::max(0.0, seen.interval - now), by_items);
  if (s.batch->bytes > 0 && seen.interval < 0.9 * now) next = std::min(next, seen.interval);
  to.times[b.stage].batching = std::min(interval, next);
  for (const auto& one : seen.behind) {
    const auto cost = b.cost.find(one.stage);
    if (cost == b.cost.end() || !cost->second.known()) continue;
    const auto was = cost->second.at(seen.items);
    const auto longer = was > 0 ? cost->second.at(each_second * next) / was : 1.0;
    auto& t = to.times[one.stage];
    // What comes for it to do: more than it does, if it falls behind.
    const auto comes = one.time() / seen.interval;
    const auto load = comes * longer * seen.interval / next;
    to.processors += (load - comes) * t.replicas * std::min(1.0, w.stages[one.stage].computing());
    t.load = load;
    if (one.stage != b.stage || s.farm()) t.service *= longer;
    to.load = std::max(to.load, load);
  }
}

outlook with_intervals(const window& w, const std::vector<timed_batch>& batches,
                       const std::vector<stage_times>& now, const std::vector<double>& intervals) {
  outlook to{.times = now};
  for (std::size_t i = 0; i < batches.size(); ++i) foresee(w, batches[i], intervals[i], to);
  return to;
}

std::vector<double> intervals_now(const window& w, const std::vector<timed_batch>& batches) {
  std::vector<double> now;
  for (const auto& b : batches) now.push_back(interval_of(w, b));
  return now;
}

holding asking_for(const window& w, const std::vector<timed_batch>& batches,
                   const std::vector<double>& intervals, double predicted) {
  holding h{.predicted = predicted};
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const auto from = w.stages[batches[i].stage].batch->interval;
    const auto to = as_time(intervals[i]);
    if (std::abs(as_seconds(to - from)) > std::max(1e-6, 0.02 * as_seconds(from)))
      h.intervals.push_back({batches[i].stage, from, to});
  }
  return h;
}

double processors_used(const window& w) {
  const auto length = as_seconds(w.length);
  return length > 0 ? as_seconds(w.cpu) / length : 0;
}

// A choice of intervals with which the stages behind keep up, and the quantile that is expected then.
struct expected {
  std::vector<double> intervals;
  double latency = 0;
};

std::vector<expected> affordable(const window& w, const std::vector<timed_batch>& batches, double is,
                                 bool shorter) {
  const auto now = times_of(w);
  const auto intervals = intervals_now(w, batches);
  const auto before = predicted_latency(now, w.goal.quantile).all();
  const auto load = with_intervals(w, batches, now, intervals).load;
  const auto allowed = std::max(worked_off_within, load + 0.02);
  std::vector<expected> all;
  for (auto f = shorter ? step : 1 / step; f > 1e-4 && f < 1e4; f *= shorter ? step : 1 / step) {
    auto next = intervals;
    for (std::size_t i = 0; i < next.size(); ++i) {
      const auto given = as_seconds(batches[i].given);
      // What is shorter than it was given, or longer, goes back to that at most.
      if (shorter)
        next[i] = std::max(f * next[i], std::min(shortest_interval, next[i]));
      else
        next[i] = std::max(next[i], std::min(f * next[i], given));
    }
    if (!all.empty() && all.back().intervals == next) break;
    const auto then = with_intervals(w, batches, now, next);
    if (shorter &&
        (then.load > allowed || (then.processors > 0 && processors_used(w) + then.processors >
                                                            most_processors_used * processors_of(w))))
      break;
    const auto gain = before - predicted_latency(then.times, w.goal.quantile).all();
    all.push_back({next, std::max(is - gain, 0.0)});
  }
  return all;
}

// How long runs are that items wait for, if they are told to hold so much work.
double with_runs(const window& w, double is, double length) {
  auto times = times_of(w);
  const auto before = predicted_latency(times, w.goal.quantile).all();
  for (auto& t : times) t.run = std::min(t.run, length);
  return std::max(0.0, is - before + predicted_latency(times, w.goal.quantile).all());
}

double run_length_now(const window& w) {
  return w.run_length->count() == 0 ? longest_run : as_seconds(*w.run_length);
}

}  // namespace

void timed_batch::learn(const window& w) {
  if (!shows(w, *this)) return;
  const auto seen = look_at_batches(w, stage);
  for (const auto& one : seen.behind)
    if (one.seconds > 0) cost[one.stage].saw(seen.items, one.seconds);
}

holding shorter_batches(const window& w, const std::vector<timed_batch>& batches, double is, double target) {
  const auto all = affordable(w, batches, is, true);
  if (all.empty()) return {};
  // Where the target is out of reach, the last steps towards it are much work for nothing.
  const auto nearest = std::ranges::min(all, {}, &expected::latency).latency;
  const auto enough = std::max(target, nearest + (1 - worth_it) * is);
  const auto best = std::ranges::find_if(all, [&](const expected& one) { return one.latency <= enough; });
  return best->latency > worth_it * is ? holding{} : asking_for(w, batches, best->intervals, best->latency);
}

holding shorter_runs(const window& w, double is, double target) {
  holding best;
  // Each run costs its way through the engine, which only a processor that is idle has time for.
  if (!w.run_length || processors_used(w) > most_processors_used * processors_of(w)) return best;
  for (auto to = run_length_now(w) / 2; to >= shortest_run; to /= 2) {
    best = {.run_length = as_time(to), .predicted = with_runs(w, is, to)};
    if (best.predicted <= target) break;
  }
  return best.predicted <= worth_it * is ? best : holding{};
}

holding longer(const window& w, const std::vector<timed_batch>& batches, double is, double target) {
  if (w.run_length && w.run_length->count() > 0) {
    const auto to = 2 * as_seconds(*w.run_length);
    // As an item may meet runs of that length in front of each stage.
    const auto then = is + to * static_cast<double>(w.stages.size());
    if (then <= target)
      return {.run_length = to >= longest_run ? nanoseconds(0) : as_time(to), .predicted = then};
  }
  const expected* best = nullptr;
  const auto all = affordable(w, batches, is, false);
  for (const auto& one : all) {
    if (one.latency > target) break;
    best = &one;
  }
  if (best == nullptr) return {};
  const auto now = intervals_now(w, batches);
  const auto much = [&](std::size_t i) { return best->intervals[i] >= worth_lengthening * now[i]; };
  for (std::size_t i = 0; i < now.size(); ++i)
    if (much(i)) return asking_for(w, batches, best->intervals, best->latency);
  return {};
}

window with_more_replicas(window w, const std::vector<timed_batch>& batches) {
  std::vector<bool> more(w.stages.size(), false);
  for (const auto& b : batches)
    for (const auto& [stage, cost] : b.cost) more[stage] = true;
  for (std::size_t i = 0; i < w.stages.size(); ++i)
    if (auto& s = w.stages[i]; more[i] && s.replicas < s.most) ++s.replicas;
  return w;
}

double load_of_batches(const window& w, const std::vector<timed_batch>& batches) {
  return with_intervals(w, batches, times_of(w), intervals_now(w, batches)).load;
}

bool falls_behind(const window& w, const std::vector<timed_batch>& batches) {
  return load_of_batches(w, batches) > behind_from;
}

namespace {

// A stage that does not keep up with these batches could have more replicas: they come first, as they cost no
// latency.
bool may_grow(const window& w, const timed_batch& b) {
  if (!shows(w, b) || processors_used(w) > most_processors_used * processors_of(w)) return false;
  const auto seen = look_at_batches(w, b.stage);
  return std::ranges::any_of(seen.behind, [&](const batches_seen::work& one) {
    const auto& s = w.stages[one.stage];
    return one.time() > behind_from * seen.interval && s.replicas < s.most;
  });
}

}  // namespace

holding enough_to_keep_up(const window& w, const std::vector<timed_batch>& batches) {
  const auto now = times_of(w);
  const auto intervals = intervals_now(w, batches);
  // Where all that is due does not come through, more of it is to.
  double given = 0;
  for (const auto& s : w.stages)
    if (s.due_rate) given += per_second(static_cast<double>(s.items_out), w.length);
  const auto more = given > 0 ? std::max(1.0, due_rate_of(w) / given) : 1.0;
  auto next = intervals;
  auto gained = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < batches.size(); ++i) {
    outlook is{.times = now};
    foresee(w, batches[i], intervals[i], is);
    if (is.load <= behind_from || may_grow(w, batches[i])) continue;
    auto best = 1.0;
    for (auto f = 1 / step; f <= furthest; f /= step) {
      outlook then{.times = now};
      foresee(w, batches[i], f * intervals[i], then);
      const auto gain = then.load > 0 ? is.load / then.load : 1.0;
      if (gain < std::max(worth_more_work, best)) continue;
      best = gain;
      next[i] = f * intervals[i];
      if (then.load * more <= worked_off_within) break;
    }
    if (best > 1) gained = std::min(gained, best);
  }
  return asking_for(w, batches, next, gained);
}

holding back_to_given(const window& w, const std::vector<timed_batch>& batches) {
  constexpr double small_enough = 0.9 * worked_off_within, worth_shortening = 0.8;
  const auto now = times_of(w);
  auto next = intervals_now(w, batches);
  for (std::size_t i = 0; i < next.size(); ++i) {
    const auto is = next[i];
    const auto given = as_seconds(batches[i].given);
    if (is <= given) continue;
    for (auto shortest = given; shortest <= worth_shortening * is; shortest /= step) {
      outlook then{.times = now};
      foresee(w, batches[i], shortest, then);
      if (then.load > small_enough) continue;
      next[i] = shortest;
      break;
    }
  }
  return asking_for(w, batches, next, 1);
}

}  // namespace THALWEG_NAMESPACE::adaptation
