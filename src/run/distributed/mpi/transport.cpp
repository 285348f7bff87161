#include "transport.hpp"

#include <utility>

namespace THALWEG_NAMESPACE::run_detail::distributed {

bytes buffer_pool::take() {
  const std::lock_guard hold(lock_);
  if (spare_.empty()) return {};
  auto content = std::move(spare_.back());
  spare_.pop_back();
  return content;
}

void buffer_pool::give(bytes content) {
  const std::lock_guard hold(lock_);
  if (spare_.size() < most && content.capacity() < longest) spare_.push_back(std::move(content));
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
