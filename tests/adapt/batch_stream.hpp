/// A stream with batches in virtual time, batch by batch: a source, a batch, a farm that works on batches, a
/// sink.
#pragma once

#include <thalweg/adapt/planner.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include <adapt/made_windows.hpp>

namespace made {

struct batch_plan {
  std::function<double(double)> rate = [](double) { return 10'000.0; };  // items a second, at that second
  thalweg::batch_limits limits = {.items = 1000, .interval = std::chrono::milliseconds(50)};
  std::function<double(double)> time_of = [](double) { return 1e-3; };  // seconds, of so many items
  int replicas = 1, most = 1;
  adaptation::goal goal = {};
  double noise = 0;  // of times between items: 1 as much as by chance
  double computing = 1;
  int cores = 16;
  double window = 0.1;
  std::uint64_t seed = 1;
};

class batch_stream {
 public:
  explicit batch_stream(batch_plan p) : plan_(std::move(p)), dice_(plan_.seed), limits_(plan_.limits) {
    free_.assign(static_cast<std::size_t>(plan_.replicas), 0.0);
  }

  /// The next window.
  window next() {
    const auto end = static_cast<double>(++number_) * plan_.window;
    while (arrives_ < end) arrive();
    close_until(end);
    const auto c = counted_[number_ - 1];
    window w;
    w.number = number_;
    w.at = seconds(end);
    w.length = seconds(plan_.window);
    w.cores = w.workers = plan_.cores;
    w.goal = plan_.goal;
    w.cpu = seconds(c.busy * plan_.computing);
    w.latency_from_due = true;
    w.latency = c.latency;
    w.changed = std::exchange(changed_, false);
    auto group = stage("group", {0}, c.items, c.closed, 0);
    group.batch = limits_;
    auto work = farm("work", {1}, c.done, c.done, 0, static_cast<int>(free_.size()), plan_.most);
    work.busy = seconds(c.busy);
    work.cpu = w.cpu;
    work.queued = c.waited / plan_.window;
    w.stages = {source(c.items, plan_.rate(end - 1e-9)), group, work, sink(2, c.done, 1e-6)};
    counted_.erase(number_ - 1);
    return w;
  }

  /// As a run does. Whether anything changed.
  bool take(const adaptation::changes& wanted) {
    for (const auto& b : wanted.batches) {
      changed_ |= !(limits_ == b.limits);
      limits_ = b.limits;
    }
    if (const auto n = asked(wanted, "work"); n && *n != replicas()) {
      changed_ = true;
      while (replicas() < *n) free_.push_back(static_cast<double>(number_) * plan_.window);
      std::sort(free_.begin(), free_.end());
      free_.resize(static_cast<std::size_t>(*n));
    }
    return changed_;
  }

  [[nodiscard]] int replicas() const { return static_cast<int>(free_.size()); }
  [[nodiscard]] const thalweg::batch_limits& limits() const { return limits_; }

 private:
  struct counts {
    double items = 0, closed = 0, done = 0, busy = 0, waited = 0;
    thalweg::observe::histogram latency;
  };

  counts& at(double t) { return counted_[static_cast<std::uint64_t>(t / plan_.window)]; }

  void arrive() {
    close_until(arrives_);
    if (in_ == 0) {
      begun_ = arrives_;
      due_ =
          limits_.interval.count() > 0 ? begun_ + 1e-9 * static_cast<double>(limits_.interval.count()) : 1e18;
    }
    ++in_;
    ++at(arrives_).items;
    if (limits_.items > 0 && in_ >= static_cast<double>(limits_.items)) close(arrives_);
    const auto gap = 1 / plan_.rate(arrives_);
    arrives_ += gap * (1 - plan_.noise + plan_.noise * std::exponential_distribution<double>(1)(dice_));
  }

  void close_until(double t) {
    if (in_ > 0 && due_ < t) close(due_);
  }

  void close(double t) {
    ++at(t).closed;
    auto& replica = *std::min_element(free_.begin(), free_.end());
    const auto begin = std::max(t, replica);
    const auto end = replica = begin + plan_.time_of(in_);
    in_ = 0;
    share(t, begin, &counts::waited);
    share(begin, end, &counts::busy);
    auto& then = at(end);
    ++then.done;
    then.latency.record(std::llround((end - begun_) * 1e9));
  }

  // Adds this span of time to the windows in which it lies.
  void share(double from, double to, double counts::*what) {
    for (auto k = static_cast<std::uint64_t>(from / plan_.window); from < to; ++k) {
      const auto end = std::min(to, static_cast<double>(k + 1) * plan_.window);
      counted_[k].*what += std::max(0.0, end - from);
      from = std::max(from, end);
    }
  }

  batch_plan plan_;
  std::mt19937_64 dice_;
  thalweg::batch_limits limits_;
  std::vector<double> free_;  // when each replica is
  std::map<std::uint64_t, counts> counted_;
  std::uint64_t number_ = 0;
  double arrives_ = 0, in_ = 0, begun_ = 0, due_ = 1e18;
  bool changed_ = false;
};

}  // namespace made
