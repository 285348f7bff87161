#include "transport.hpp"

#include <utility>

namespace thalweg::run_detail::across {

bytes letter_pool::take() {
  const std::lock_guard hold(lock_);
  if (spare_.empty()) return {};
  auto letter = std::move(spare_.back());
  spare_.pop_back();
  return letter;
}

void letter_pool::give(bytes letter) {
  const std::lock_guard hold(lock_);
  if (spare_.size() < most && letter.capacity() < longest) spare_.push_back(std::move(letter));
}

}  // namespace thalweg::run_detail::across
