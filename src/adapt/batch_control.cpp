#include "batch_control.hpp"

#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "demand.hpp"
#include "numbers.hpp"
#include "waiting.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

using std::chrono::nanoseconds;

constexpr int windows_of_a_period = 2, most_windows = 50;
constexpr int longest_hold = 10;  // windows for which replicas wait for batches
constexpr int batches_of_a_period = 3;
constexpr double aim = 0.8, aim_up = 0.7, far_below = 0.5;  // of the limit
constexpr double enough_of_it = 0.2;                        // of what was predicted
constexpr int first_patience = 5, most_patience = 1000;
constexpr int periods_behind = 3;  // replicas come first: they cost no latency
constexpr std::uint64_t forgotten_after = 40, forgotten_late = 3000, look_again_after = 10;  // windows

constexpr double less_loaded = 0.85, least_room = 0.3;

bool wants_latency(const window& w) {
  return w.goal.what == goal::kind::latency;
}

double quantile_of(const window& w) {
  return 1e-9 * static_cast<double>(w.latency.quantile(w.goal.quantile));
}

double limit_of(const window& w) {
  return as_seconds(w.goal.limit);
}

// As in the rest of the planner: without a schedule there is one load only.
double load_of_run(const window& w) {
  const auto due = due_rate_of(w);
  return due > 0 ? due : 1;
}

std::string as_text(double seconds) {
  return observe::duration_text(seconds * 1e9);
}

}  // namespace

// The first time may have been chance.
void batch_control::mark::in_vain(std::uint64_t window) noexcept {
  until = window + (++times == 1 ? forgotten_after : forgotten_late);
}

void batch_control::mark::nothing_to_do(std::uint64_t window) noexcept {
  until = std::max(until, window + look_again_after);
}

void batch_control::begin_period() {
  period_.drop();
  windows_ = 0;
}

void batch_control::begin(const window& w) {
  begun_ = true;
  batches_.clear();
  for (std::size_t i = 0; i < w.stages.size(); ++i)
    if (const auto& b = w.stages[i].batch; b && b->interval.count() > 0)
      batches_.push_back({i, b->interval, {}});
  trial_.reset();
  begin_period();
  spare_ = behind_ = 0;
  patience_ = first_patience;
  relaxed_ = false;
  room_ = 1;
  for (auto& m : marks_) m = {};
  expect(w, {});
}

void batch_control::expect(const window& w, const holding& wanted) {
  expected_.clear();
  for (const auto& b : batches_) expected_.push_back(w.stages[b.stage].batch->interval);
  expected_run_ = wanted.run_length ? wanted.run_length : w.run_length;
  for (const auto& one : wanted.intervals)
    for (std::size_t i = 0; i < batches_.size(); ++i)
      if (batches_[i].stage == one.stage) expected_[i] = one.to;
}

bool batch_control::changed_by_others(const window& w) {
  if (w.run_length != expected_run_) return true;
  std::size_t timed = 0;
  for (std::size_t i = 0; i < w.stages.size(); ++i) {
    const auto& b = w.stages[i].batch;
    if (!b || b->interval.count() == 0) continue;
    if (timed == batches_.size() || batches_[timed].stage != i || b->interval != expected_[timed])
      return true;
    ++timed;
  }
  return timed != batches_.size();
}

void batch_control::follow_load(const window& w) {
  const auto now = load_of_run(w);
  std::vector<int> replicas;
  for (const auto& s : w.stages) replicas.push_back(s.replicas);
  const bool other_replicas = replicas != replicas_;
  const bool other_load = std::abs(now - load_) > 0.2 * load_;
  if (!other_load && !other_replicas) return;
  replicas_ = std::move(replicas);
  trial_.reset();
  begin_period();
  spare_ = behind_ = 0;
  // With others the same change may help.
  for (auto& m : marks_)
    if (m.times < 2) m.until = 0;
  if (!other_load) return;
  load_ = now;
  patience_ = first_patience;
  relaxed_ = false;
  room_ = 1;
  for (auto& m : marks_) m = {};
}

// Long enough to tell: some batches of each stage, and more than one window.
bool batch_control::is_whole(const window& w) const {
  if (windows_ < windows_of_a_period) return false;
  if (windows_ >= most_windows) return true;
  return std::ranges::all_of(batches_, [&](const timed_batch& b) {
    return period_.whole().length >= batches_of_a_period * w.stages[b.stage].batch->interval;
  });
}

// Items are late, and shorter batches or runs may be enough: replicas wait for that.
bool batch_control::holds_back(const window& w) const {
  if (has_backlog(w) || windows_ > longest_hold) return false;
  if (trial_) return true;
  return wants_latency(w) && may_shorten(w) && !w.latency.empty() && quantile_of(w) > limit_of(w);
}

std::optional<changes> batch_control::look(const window& w) {
  if (!begun_ || changed_by_others(w)) begin(w);
  if (batches_.empty() && !(w.run_length && wants_latency(w))) return std::nullopt;
  follow_load(w);
  const bool settled = w.at - w.length >= ready_;
  if (w.number != last_ + 1 || !settled) begin_period();
  last_ = w.number;
  if (settled) {
    period_.add(w);
    ++windows_;
  }
  if (!is_whole(w)) return holds_back(w) ? std::optional(changes{}) : std::nullopt;
  const auto period = period_.whole();
  begin_period();
  for (auto& b : batches_) b.learn(period);
  auto wanted = trial_ ? check(period, *std::exchange(trial_, std::nullopt)) : decide(period);
  if (wanted.none()) return std::nullopt;
  return wanted;
}

changes batch_control::decide(const window& w) {
  if (falls_behind(w, batches_)) {
    spare_ = 0;
    if (++behind_ < periods_behind || !may(kind::more, w)) return {};
    const auto wanted = enough_to_keep_up(w, batches_);
    if (!wanted.none()) return make(w, kind::more, wanted, possible_rate(w, wanted));
    mark_of(kind::more).nothing_to_do(w.number);
    return {};
  }
  behind_ = 0;
  return wants_latency(w) ? keep_latency(w) : keep_up(w);
}

changes batch_control::keep_up(const window& w) {
  const auto wanted = back_to_given(w, batches_);
  if (wanted.none() || has_backlog(w)) {
    spare_ = 0;
    return {};
  }
  return ++spare_ < patience_ ? changes{} : make(w, kind::longer, wanted, 0);
}

changes batch_control::keep_latency(const window& w) {
  if (w.latency.empty()) return {};
  const auto is = quantile_of(w);
  const auto limit = limit_of(w);
  if (is <= limit) {
    const auto wanted =
        is <= far_below * limit && may(kind::longer, w) ? longer(w, batches_, is, aim_up * limit) : holding{};
    spare_ = wanted.none() ? 0 : spare_ + 1;
    return spare_ < patience_ ? changes{} : make(w, kind::longer, wanted, is);
  }
  spare_ = 0;
  if (has_backlog(w) || !may_shorten(w)) return {};
  holding wanted;
  if (may(kind::shorter_batches, w)) wanted = shorter_batches(w, batches_, is, aim * limit);
  if (may(kind::shorter_runs, w)) {
    auto runs = shorter_runs(w, is, aim * limit);
    if (!runs.none() && (wanted.none() || runs.predicted < std::max(wanted.predicted, aim * limit)))
      wanted = std::move(runs);
  }
  if (!wanted.none())
    return make(w, wanted.run_length ? kind::shorter_runs : kind::shorter_batches, wanted, is);
  // With more replicas shorter ones may be possible.
  if (may(kind::shorter_batches, w) &&
      !shorter_batches(with_more_replicas(w, batches_), batches_, is, aim * limit).none())
    room_ = std::max(room_ * less_loaded, least_room);
  mark_of(kind::shorter_batches).nothing_to_do(w.number);
  mark_of(kind::shorter_runs).nothing_to_do(w.number);
  return {};
}

// Items a second that the stages behind these batches can do.
double batch_control::possible_rate(const window& w, const holding& made) const {
  const auto come = static_cast<double>(w.stages[made.intervals.front().stage].items_in);
  return per_second(come, w.length) / std::max(load_of_batches(w, batches_), 1e-9);
}

changes batch_control::check(const window& w, const attempt& was) {
  const auto is = was.what == kind::more ? possible_rate(w, was.made) : quantile_of(w);
  const auto limit = limit_of(w);
  bool helped = false;
  if (was.what == kind::more)
    helped = !falls_behind(w, batches_) || is > was.before * (1 + enough_of_it * (was.made.predicted - 1));
  else
    helped = is <= limit ||
             (was.what != kind::longer && was.before - is > enough_of_it * (was.before - was.made.predicted));
  if (helped) return {};
  mark_of(was.what).in_vain(w.number);
  holding back;
  for (const auto& one : was.made.intervals) back.intervals.push_back({one.stage, one.to, one.from});
  if (was.made.run_length) back.run_length = was.run_before;
  auto c = ask(w, back);
  c.reason = was.what == kind::more
                 ? "longer intervals were to make it " + observe::number_text(was.made.predicted) +
                       " times as much, and it is " + observe::rate_text(is) + " where it was " +
                       observe::rate_text(was.before) + ": taken back"
                 : as_text(was.made.predicted) + " were expected of " +
                       observe::percent_text(w.goal.quantile) + " of the items, and they take up to " +
                       as_text(is) + " where it was " + as_text(was.before) + ": taken back";
  return c;
}

// `is`: what it is now, that which `wanted` changes.
changes batch_control::make(const window& w, kind what, const holding& wanted, double is) {
  auto c = ask(w, wanted);
  if (what == kind::more) {
    c.reason = "the stages behind batches do not keep up; with longer intervals they can do " +
               observe::number_text(wanted.predicted) + " times as much";
  } else if (wants_latency(w)) {
    const auto parts = predicted_latency(times_of(w), w.goal.quantile);
    c.reason = observe::percent_text(w.goal.quantile) + " of the items take up to " + as_text(is) +
               ": batches hold them for " + as_text(parts.batches) + ", runs for " + as_text(parts.runs) +
               "; " + as_text(wanted.predicted) + " are expected";
  } else {
    c.reason = "the stages behind batches keep up with shorter intervals, too";
  }
  if (what == kind::longer)
    relaxed_ = true;
  else if (std::exchange(relaxed_, false))
    patience_ = std::min(2 * patience_, most_patience);
  spare_ = behind_ = 0;
  if (what != kind::longer || wants_latency(w)) trial_ = attempt{what, wanted, w.run_length, is};
  return c;
}

changes batch_control::ask(const window& w, const holding& wanted) {
  changes c;
  auto until = nanoseconds(0);
  for (const auto& one : wanted.intervals) {
    auto limits = *w.stages[one.stage].batch;
    limits.interval = one.to;
    c.batches.push_back({w.stages[one.stage].name, limits});
    until = std::max({until, one.from, one.to});
  }
  c.run_length = wanted.run_length;
  expect(w, wanted);
  // Batches that have begun close as they would have, and are under way for a while.
  if (!w.latency.empty()) until += nanoseconds(w.latency.quantile(w.goal.quantile));
  ready_ = w.at + std::min(until, most_windows * w.length);
  return c;
}

}  // namespace THALWEG_NAMESPACE::adaptation
