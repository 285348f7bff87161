#include "spb/detail/recorder.hpp"

#include <mutex>

namespace spb::detail {
namespace {

// Those of threads that have ended still count.
struct registry {
  std::mutex lock;
  std::vector<std::unique_ptr<recorder>> all;
};

registry& recorders() {
  static registry one;
  return one;
}

}  // namespace

recorder& make_mine() {
  auto& [lock, all] = recorders();
  auto made = std::make_unique<recorder>();
  const std::lock_guard alone(lock);
  all.push_back(std::move(made));
  of_stream = stream_now.load(std::memory_order_relaxed);
  return *(of_this_thread = all.back().get());
}

recorder::histogram& recorder::made(std::atomic<histogram*>& one, std::unique_ptr<histogram>& owner) {
  if (!owner) {
    owner = std::make_unique<histogram>();
    one.store(owner.get(), std::memory_order_release);
  }
  return *owner;
}

void recorder::arrived(std::int64_t latency_ns, std::uint64_t elements) {
  made(latency_, owned_latency_).record(latency_ns, elements);
}

void recorder::worked(std::size_t operation, std::int64_t time_ns, std::uint64_t elements) {
  if (elements == 0) return;
  made(operators_[operation], owned_[operation])
      .record(time_ns / static_cast<std::int64_t>(elements), elements);
}

template <class F> void totals::for_each(F f) {
  auto& [lock, all] = recorders();
  const std::lock_guard alone(lock);
  for (const auto& one : all) f(*one);
}

std::uint64_t totals::taken() {
  std::uint64_t sum = 0;
  for_each([&](const recorder& one) { sum += one.taken_.load(std::memory_order_relaxed); });
  return sum;
}

std::uint64_t totals::given() {
  std::uint64_t sum = 0;
  for_each([&](const recorder& one) { sum += one.given_.load(std::memory_order_relaxed); });
  return sum;
}

std::unique_ptr<thalweg::observe::histogram> totals::latency() {
  auto all = std::make_unique<thalweg::observe::histogram>();
  for_each([&](const recorder& one) {
    if (const auto* times = one.latency_.load(std::memory_order_acquire)) all->merge(*times);
  });
  return all;
}

std::unique_ptr<thalweg::observe::histogram> totals::of_operator(std::size_t operation) {
  auto all = std::make_unique<thalweg::observe::histogram>();
  for_each([&](const recorder& one) {
    if (const auto* times = one.operators_[operation].load(std::memory_order_acquire)) all->merge(*times);
  });
  return all;
}

totals::sum totals::latency_sum() {
  sum all;
  for_each([&](const recorder& one) {
    if (const auto* times = one.latency_.load(std::memory_order_acquire)) {
      all.count += times->count();
      all.nanoseconds += times->sum();
    }
  });
  return all;
}

void totals::clear() {
  auto& [lock, all] = recorders();
  const std::lock_guard alone(lock);
  all.clear();
  stream_now.fetch_add(1);
}

}  // namespace spb::detail
