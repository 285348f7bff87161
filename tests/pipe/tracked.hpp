#pragma once

#include <atomic>
#include <memory>
#include <utility>

/// A move-only item that owns memory (a leak or a double destruction shows under AddressSanitizer) and counts
/// how many of its kind hold a value. Moved-from ones hold none.
class tracked {
 public:
  tracked() = default;
  explicit tracked(long value) : value_(std::make_unique<long>(value)) { ++living; }
  tracked(tracked&& other) noexcept : value_(std::move(other.value_)) {}
  tracked& operator=(tracked&& other) noexcept {
    if (this == &other) return *this;
    if (value_) --living;
    value_ = std::move(other.value_);
    return *this;
  }
  ~tracked() {
    if (value_) --living;
  }

  bool holds_value() const { return value_ != nullptr; }
  long value() const { return value_ ? *value_ : -1; }

  static inline std::atomic<long> living{0};

 private:
  std::unique_ptr<long> value_;
};
