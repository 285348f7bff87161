#include <thalweg/model/graph_run.hpp>

#include <utility>

namespace THALWEG_NAMESPACE::model {

bool graph_run::begin() {
  const std::lock_guard hold(lock_);
  return !std::exchange(goes_on_, true);
}

bool graph_run::goes_on() const {
  const std::lock_guard hold(lock_);
  return goes_on_;
}

void graph_run::ended_by(std::function<void()> cancel_and_wait) {
  const std::lock_guard hold(lock_);
  if (goes_on_) cancel_and_wait_ = std::move(cancel_and_wait);
}

void graph_run::over() {
  const std::lock_guard hold(lock_);
  goes_on_ = false;
  cancel_and_wait_ = nullptr;
}

void graph_run::end() {
  std::function<void()> cancel_and_wait;
  {
    const std::lock_guard hold(lock_);
    cancel_and_wait = cancel_and_wait_;
  }
  if (cancel_and_wait) cancel_and_wait();
}

}  // namespace THALWEG_NAMESPACE::model
