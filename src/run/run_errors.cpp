#include <thalweg/run/run_errors.hpp>

#include <utility>

namespace THALWEG_NAMESPACE::run_detail {

void run_errors::keep(std::exception_ptr why, std::int64_t position) {
  const std::lock_guard hold(mutex_);
  if (kept_ && position >= position_) return;
  kept_ = std::move(why);
  position_ = position;
}

std::exception_ptr run_errors::kept() const {
  const std::lock_guard hold(mutex_);
  return kept_;
}

std::int64_t run_errors::position() const {
  const std::lock_guard hold(mutex_);
  return position_;
}

void run_errors::one_at_a_time(model::function_ref<void()> f) {
  const std::lock_guard hold(handling_);
  f();
}

}  // namespace THALWEG_NAMESPACE::run_detail
