#include "spb/detail/failure.hpp"

#include <mutex>

namespace spb::detail {
namespace {

std::mutex lock;
std::exception_ptr first;

}  // namespace

void keep_failure(std::exception_ptr error) noexcept {
  const std::lock_guard alone(lock);
  if (!first) first = std::move(error);
  stream_failed.store(true, std::memory_order_relaxed);
}

std::exception_ptr kept_failure() noexcept {
  const std::lock_guard alone(lock);
  return first;
}

void forget_failure() noexcept {
  const std::lock_guard alone(lock);
  first = nullptr;
  stream_failed.store(false, std::memory_order_relaxed);
}

}  // namespace spb::detail
