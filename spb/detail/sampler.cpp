#include "spb/detail/sampler.hpp"

#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/resources.hpp>

#include <algorithm>
#include <chrono>

#include "spb/detail/recorder.hpp"

namespace spb::detail {

sample take_sample(bool resources) {
  const auto latency = totals::latency_sum();
  sample now{thalweg::observe::now_ns(), elements_so_far(), latency.count, latency.nanoseconds};
  if (resources) {
    const auto used = thalweg::observe::process_resources();
    now.cpu_ns = used.cpu_ns();
    now.resident_bytes = used.resident_bytes;
  }
  return now;
}

sampler::sampler(std::int64_t period_ns, bool resources, std::size_t most)
    : period_ns_(period_ns), resources_(resources), most_(most) {
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

void sampler::add() {
  const auto now = take_sample(resources_);
  const std::lock_guard alone(lock_);
  if (most_ != 0 && samples_.size() >= most_) {
    const auto half = samples_.size() / 2;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < samples_.size(); ++i)
      if (i >= half || i % 2 == 0) samples_[kept++] = samples_[i];
    samples_.resize(kept);
  }
  samples_.push_back(now);
}

std::vector<sample> sampler::all() const {
  const std::lock_guard alone(lock_);
  return samples_;
}

sample sampler::at_or_before(std::int64_t time_ns) const {
  const std::lock_guard alone(lock_);
  const auto later = std::upper_bound(samples_.begin(), samples_.end(), time_ns,
                                      [](std::int64_t time, const sample& s) { return time < s.time_ns; });
  return later == samples_.begin() ? samples_.front() : *(later - 1);
}

}  // namespace spb::detail
