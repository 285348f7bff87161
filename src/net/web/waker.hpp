// Waits that a stop ends.
#pragma once

#include <atomic>
#include <optional>
#include <stop_token>

#include "../interrupts.hpp"
#include "../socket.hpp"

namespace THALWEG_NAMESPACE::net::web {

/// Ends the waits of a source when a stop is requested. One thread at a time, except `interrupt`.
class waker {
 public:
  waker() : waits{&rung_, [this] { return over(); }} {}
  waker(const waker&) = delete;
  waker& operator=(const waker&) = delete;

  /// Calls after the first do nothing.
  void interrupt_on(const std::stop_token& stop) {
    if (!on_stop_) on_stop_.emplace(stop, interrupts{this});
  }
  void interrupt() noexcept {
    over_ = true;
    rung_.ring();
  }
  [[nodiscard]] bool over() const noexcept { return over_; }
  /// Readable from when a wait is to end.
  [[nodiscard]] int fd() const noexcept { return rung_.fd(); }

 private:
  std::atomic<bool> over_{false};
  bell rung_;

 public:
  const patience waits;

 private:
  std::optional<std::stop_callback<interrupts<waker>>> on_stop_{};  // last: it uses the others
};

}  // namespace THALWEG_NAMESPACE::net::web
