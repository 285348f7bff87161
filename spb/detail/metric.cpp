#include "spb/metric.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

namespace spb {
namespace {

struct registry {
  std::mutex lock;
  std::vector<Metric*> all;
};

registry& metrics() {
  static registry one;
  return one;
}

}  // namespace

Metric::Metric(std::string name, std::string unit) : name_(std::move(name)), unit_(std::move(unit)) {
  auto& [lock, all] = metrics();
  const std::lock_guard alone(lock);
  all.push_back(this);
}

Metric::~Metric() {
  auto& [lock, all] = metrics();
  const std::lock_guard alone(lock);
  std::erase(all, this);
}

void Metric::note(double value) noexcept {
  if (!std::isfinite(value)) return;
  count_.fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
  for (auto least = least_.load(std::memory_order_relaxed);
       value < least && !least_.compare_exchange_weak(least, value, std::memory_order_relaxed);) {
  }
  for (auto greatest = greatest_.load(std::memory_order_relaxed);
       value > greatest && !greatest_.compare_exchange_weak(greatest, value, std::memory_order_relaxed);) {
  }
}

Metric::summary Metric::so_far() const {
  summary found{name_, unit_, count_.load(std::memory_order_relaxed)};
  if (found.count == 0) return found;
  found.sum = sum_.load(std::memory_order_relaxed);
  found.least = least_.load(std::memory_order_relaxed);
  found.greatest = greatest_.load(std::memory_order_relaxed);
  return found;
}

std::vector<Metric::summary> Metric::all() {
  auto& [lock, all] = metrics();
  const std::lock_guard alone(lock);
  std::vector<summary> found;
  for (const auto* one : all) found.push_back(one->so_far());
  return found;
}

void Metric::clear_all() {
  auto& [lock, all] = metrics();
  const std::lock_guard alone(lock);
  for (auto* one : all) one->clear();
}

void Metric::clear() noexcept {
  count_ = 0;
  sum_ = 0;
  least_ = std::numeric_limits<double>::infinity();
  greatest_ = -std::numeric_limits<double>::infinity();
}

}  // namespace spb
