#pragma once

#include <thalweg/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace THALWEG_NAMESPACE::run_detail {

/// How many items may be printed: no more than 20 in any second, at once or one by one. Each takes a token
/// that comes back after a second.
class look_limit {
 public:
  static constexpr std::size_t tokens = 20;
  static constexpr std::int64_t second_ns = 1'000'000'000;

  /// So many tokens are there.
  [[nodiscard]] std::size_t left(std::int64_t now) const noexcept {
    std::size_t n = 0;
    while (n < tokens && back_ns_[(next_ + n) % tokens] <= now) ++n;
    return n;
  }
  /// Takes one of them.
  void take(std::int64_t now) noexcept {
    back_ns_[next_] = now + second_ns;
    next_ = (next_ + 1) % tokens;
  }
  /// When there will be one.
  [[nodiscard]] std::int64_t next() const noexcept { return back_ns_[next_]; }

 private:
  std::array<std::int64_t, tokens> back_ns_{};  // when each comes back; that at `next_` first
  std::size_t next_ = 0;
};

}  // namespace THALWEG_NAMESPACE::run_detail
