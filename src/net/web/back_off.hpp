// How long to wait before the next try.
#pragma once

#include <thalweg/net/web_source.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace THALWEG_NAMESPACE::net::web {

class back_off {
 public:
  explicit back_off(std::optional<web_reconnect> how) : how_(how) { begin_anew(); }

  [[nodiscard]] bool retries() const noexcept { return how_.has_value(); }
  /// How long to wait now; none if there is no further try.
  std::optional<std::chrono::milliseconds> next() {
    if (!how_ || tries_ >= how_->tries) return {};
    ++tries_;
    const bool longest = delay_ >= how_->longest_delay / 2;
    return std::exchange(delay_, longest ? how_->longest_delay : 2 * delay_);
  }
  /// The last try was a good one.
  void begin_anew() noexcept {
    tries_ = 0;
    if (how_) delay_ = how_->delay;
  }
  /// Before the first try of a row.
  void set_delay(std::chrono::milliseconds delay) {
    if (!how_) return;
    how_->delay = std::min(delay, how_->longest_delay);
    delay_ = how_->delay;
  }

 private:
  std::optional<web_reconnect> how_;
  int tries_ = 0;
  std::chrono::milliseconds delay_{};
};

}  // namespace THALWEG_NAMESPACE::net::web
