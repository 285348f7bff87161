#include "spb/detail/sampler.hpp"

#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/resources.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "spb/detail/feed.hpp"
#include "spb/detail/recorder.hpp"

namespace spb::detail {

sample take_sample(bool resources) {
  const auto latency = totals::latency_sum();
  sample now;
  now.time_ns = thalweg::observe::now_ns();
  now.elements = elements_so_far();
  now.timed = latency.count;
  now.latency_ns = latency.nanoseconds;
  if (resources) {
    const auto used = thalweg::observe::process_resources();
    now.cpu_ns = used.cpu_ns();
    now.resident_bytes = used.resident_bytes;
  }
  return now;
}

double rate_between(const sample& from, const sample& to) {
  const auto time = static_cast<double>(to.time_ns - from.time_ns) * 1e-9;
  return time > 0 ? static_cast<double>(to.elements - from.elements) / time : 0;
}

double mean_latency_ms(const sample& from, const sample& to) {
  if (to.timed <= from.timed) return 0;
  return (to.latency_ns - from.latency_ns) / static_cast<double>(to.timed - from.timed) * 1e-6;
}

void sampler::start() {
  add();
  thread_ = std::thread([this] { run(); });
}

void sampler::stop() {
  {
    const std::lock_guard alone(lock_);
    if (end_) return;
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
  add();
}

void sampler::run() {
  auto next = std::chrono::steady_clock::now();
  for (std::unique_lock held(lock_); !end_;) {
    next += std::chrono::nanoseconds(period_ns_);
    if (ended_.wait_until(held, next, [this] { return end_; })) return;
    held.unlock();
    add();
    held.lock();
  }
}

monitor::monitor(std::int64_t period_ns) : sampler(period_ns) {
  start();
}

void monitor::add() {
  auto now = take_sample(true);
  now.taken = totals::taken();
  now.items = totals::items();
  now.rate = common_feed().frequency();
  if (timing()) {
    auto all = totals::latency();
    if (before_) {
      const auto window = all->since(*before_);
      if (window.count() > 0) {
        now.p50_ns = window.quantile(0.5);
        now.p99_ns = window.quantile(0.99);
        now.max_ns = window.max();
      }
    }
    before_ = std::move(all);
  }
  all_.push_back(now);
}

memory_of_samples::memory_of_samples(std::int64_t period_ns, std::size_t most, std::function<sample()> take)
    : sampler(period_ns), most_(most), take_(std::move(take)) {
  start();
}

void memory_of_samples::add() {
  const auto now = take_();
  const std::lock_guard alone(samples_lock_);
  if (samples_.size() >= most_) {
    const auto half = samples_.size() / 2;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < samples_.size(); ++i)
      if (i >= half || i % 2 == 0) samples_[kept++] = samples_[i];
    samples_.resize(kept);
  }
  samples_.push_back(now);
}

sample memory_of_samples::at_or_before(std::int64_t time_ns) const {
  const std::lock_guard alone(samples_lock_);
  const auto later = std::upper_bound(samples_.begin(), samples_.end(), time_ns,
                                      [](std::int64_t time, const sample& s) { return time < s.time_ns; });
  return later == samples_.begin() ? samples_.front() : *(later - 1);
}

}  // namespace spb::detail
