#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

/// What an operator did, written down by itself: when each call began and ended. For operators that are
/// called some thousand times.
///
/// Operators sleep in it. That needs no core, so how many of them were at work at once does not depend on how
/// many cores there are; and by how much they overslept says how busy the machine was.
class ledger {
 public:
  using moment = std::chrono::steady_clock::time_point;
  struct call {
    long item;
    moment begin, end;
  };

  ledger() = default;
  ledger(const ledger&) = delete;
  ledger& operator=(const ledger&) = delete;

  void sleep(long item, std::chrono::microseconds time) {
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(time);
    const std::lock_guard hold(mutex_);
    calls_.push_back({item, begin, std::chrono::steady_clock::now()});
    asked_ += time;
  }

  /// All calls in the order in which they began. When the run is over.
  std::vector<call> calls() const {
    auto all = calls_;
    std::ranges::sort(all, {}, &call::begin);
    return all;
  }
  std::size_t size() const { return calls_.size(); }

  /// Mean time of a call.
  std::chrono::nanoseconds mean() const {
    return calls_.empty() ? std::chrono::nanoseconds(0)
                          : total() / static_cast<std::chrono::nanoseconds::rep>(calls_.size());
  }
  /// How much longer than asked for the sleep was, as a factor: hardly above 1 on a quiet machine.
  double overslept() const {
    return asked_.count() == 0 ? 1 : std::chrono::duration<double>(total()) / asked_;
  }

  int most_at_once() const {
    std::vector<std::pair<moment, int>> steps;
    for (const auto& c : calls_) {
      steps.emplace_back(c.begin, 1);
      steps.emplace_back(c.end, -1);
    }
    std::ranges::sort(steps);  // at the same moment, those that end go first
    int now = 0;
    int most = 0;
    for (const auto& [at, step] : steps) most = std::max(most, now += step);
    return most;
  }

  /// How many calls were at work at once on average, from the begin of the first one to the end of the last.
  double concurrency() const {
    if (calls_.empty()) return 0;
    const auto first = std::ranges::min(calls_, {}, &call::begin).begin;
    return concurrency(first, std::ranges::max(calls_, {}, &call::end).end);
  }
  /// And in a part of the time.
  double concurrency(moment from, moment to) const {
    std::chrono::nanoseconds sum{0};
    for (const auto& c : calls_) {
      const auto begin = std::max(c.begin, from);
      const auto end = std::min(c.end, to);
      if (begin < end) sum += end - begin;
    }
    return from < to ? std::chrono::duration<double>(sum) / (to - from) : 0;
  }

 private:
  std::chrono::nanoseconds total() const {
    std::chrono::nanoseconds sum{0};
    for (const auto& c : calls_) sum += c.end - c.begin;
    return sum;
  }

  std::mutex mutex_;
  std::vector<call> calls_;
  std::chrono::nanoseconds asked_{0};
};

/// What came of one try of a test in which operators sleep: what is wrong (nothing, if all is well), and by
/// how much the sleepers overslept.
struct tried {
  std::string problem;
  double overslept = 1;
};

/// Tries until all is well, and returns what was wrong otherwise. Another try is granted only where sleepers
/// overslept, so that the machine may have been to blame: what fails on a quiet machine fails at once.
template <class Try> std::string problem_of(Try&& attempt, int times = 4) {
  tried last;
  for (int i = 0; i < times; ++i) {
    last = attempt();
    if (last.problem.empty() || last.overslept < 1.25) break;
  }
  if (last.problem.empty()) return {};
  std::ostringstream text;
  text << last.problem << " (sleepers took " << last.overslept << " times as long as they were told)";
  return text.str();
}

/// Counts of an operator that is called very often, from any thread: how often it was called, how often it
/// returned, how many items it sent, and how long it took.
class tally {
 public:
  tally() = default;
  tally(const tally&) = delete;
  tally& operator=(const tally&) = delete;

  /// Calls `work()`, which gives the number of items it sent, and writes that down.
  template <class Work> void count(Work&& work) {
    const auto begin = std::chrono::steady_clock::now();
    ++calls_;
    sent_ += static_cast<std::uint64_t>(std::forward<Work>(work)());
    ++returned_;
    const auto took = std::chrono::steady_clock::now() - begin;
    ns_ += static_cast<std::uint64_t>(took.count());
    ++buckets_[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(took.count())))];
  }

  std::uint64_t calls() const { return calls_; }
  std::uint64_t returned() const { return returned_; }
  std::uint64_t sent() const { return sent_; }
  std::chrono::nanoseconds time() const { return std::chrono::nanoseconds(ns_.load()); }
  /// Mean time of a call, in nanoseconds.
  double mean() const {
    return returned_ == 0 ? 0 : static_cast<double>(ns_) / static_cast<double>(returned_);
  }
  /// The time that half of the calls do not exceed, give or take the half: what the mean would be if nobody
  /// had been interrupted.
  double median() const {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      seen += buckets_[i];
      if (2 * seen >= returned_) return 0.75 * std::exp2(static_cast<double>(i));
    }
    return 0;
  }

 private:
  std::atomic<std::uint64_t> calls_{0}, returned_{0}, sent_{0}, ns_{0};
  std::array<std::atomic<std::uint64_t>, 65> buckets_{};
};
