#include "spb/detail/feed.hpp"

#include <thalweg/flow/wait.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "apps/support/error.hpp"
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

void feed::clear_frequency() {
  change(paced_, false);
  schedule_.release();
}

void feed::set_as(const feed& other) {
  change(size_, other.size_.load(std::memory_order_relaxed));
  change(bytes_, other.most_bytes());
  change(interval_, other.interval_ns());
  set_late(other.schedule_.late());
  if (const auto pattern = other.schedule_.pattern()) set_frequency(*pattern);
}

void require_items_of_one(const feed& by, const char* app, const char* element) {
  if (!by.plain() && by.most() != 1)
    throw apps::error(std::string("items of ") + app + " have one " + element +
                      " each: there can be no larger batches");
}

std::uint64_t feed::most() const {
  const auto size = size_.load(std::memory_order_relaxed);
  if (size != 0) return size;
  return interval_ns() == 0 && most_bytes() == 0 ? 1 : std::numeric_limits<std::uint64_t>::max();
}

std::optional<double> feed::items_due() const {
  const auto rate = paced() && most_bytes() == 0 ? schedule_.rate_under_way() : std::nullopt;
  if (!rate) return std::nullopt;
  // An item is closed so long after its first element, which is the one that comes after the item before.
  const auto in_time = 1 + *rate * static_cast<double>(interval_ns()) * 1e-9;
  const auto full = static_cast<double>(most());
  return *rate / (interval_ns() > 0 ? std::min(full, in_time) : full);
}

feed::due_elements feed::wait() {
  due_elements due;
  for (const auto limit = most(); due.count < limit && wait_for_next(due);) {
  }
  return failed() ? due_elements{} : due;
}

bool feed::wait_for_next(due_elements& item) {
  if (item.count > 0 && !paced())
    return false;  // no longer: nothing says any more when the item would be closed
  const auto next = schedule_.due();
  if (next == schedule::never) return false;
  if (item.count == 0) item.first_ns = next;
  const auto interval = interval_ns();
  const auto closes = item.first_ns + interval;
  const bool too_late = item.count > 0 && interval > 0 && next > closes;
  const bool came = thalweg::flow::wait_until(
      too_late ? closes : next, schedule_.dense(), [](void*) { return failed(); }, nullptr);
  if (!came || too_late) return false;
  schedule_.advance();
  ++item.count;
  return true;
}

feed& common_feed() {
  static feed one;
  return one;
}

}  // namespace spb::detail
