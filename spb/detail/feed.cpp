#include "spb/detail/feed.hpp"

#include <thalweg/flow/wait.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "spb/detail/failure.hpp"

namespace spb::detail {

void feed::set_batch_interval(double seconds) {
  const bool fits = seconds >= 0 && seconds < 1e9;  // which NaN does not
  if (!fits) throw std::invalid_argument("the interval of a batch must be 0 seconds or more");
  change(interval_, static_cast<std::int64_t>(seconds * 1e9));
}

void feed::set_frequency(const rate& pattern) {
  schedule_.follow(pattern);
  change(paced_, true);
}

void feed::set_as(const feed& other) {
  change(size_, other.size_.load(std::memory_order_relaxed));
  change(interval_, other.interval_ns());
  if (const auto pattern = other.schedule_.pattern()) set_frequency(*pattern);
}

std::uint64_t feed::most() const {
  const auto size = size_.load(std::memory_order_relaxed);
  if (size != 0) return size;
  return interval_ns() == 0 ? 1 : std::numeric_limits<std::uint64_t>::max();
}

feed::due_elements feed::wait() {
  const auto until = [this](std::int64_t moment) {
    return thalweg::flow::wait_until(
        moment, schedule_.dense(), [](void*) { return failed(); }, nullptr);
  };
  due_elements due;
  const auto limit = most();
  const auto interval = interval_ns();
  while (due.count < limit) {
    const auto next = schedule_.due();
    if (next == schedule::never) break;
    if (due.count == 0) due.first_ns = next;
    const auto closes = due.first_ns + interval;
    const bool too_late = due.count > 0 && interval > 0 && next > closes;
    if (!until(too_late ? closes : next)) return {};
    if (too_late) break;
    schedule_.advance();
    ++due.count;
  }
  return due;
}

feed& common_feed() {
  static feed one;
  return one;
}

}  // namespace spb::detail
