#pragma once

#include <algorithm>
#include <chrono>

namespace apps::nexmark {

/// How far time has come in a stream: the latest one seen less the disorder. It never goes back.
class watermark {
 public:
  explicit watermark(std::chrono::milliseconds disorder) : disorder_(disorder) {}

  void come_to(std::chrono::milliseconds time) { reached_ = std::max(reached_, time - disorder_); }
  [[nodiscard]] std::chrono::milliseconds reached() const { return reached_; }

 private:
  std::chrono::milliseconds disorder_;
  std::chrono::milliseconds reached_{0};
};

/// The last of the times that are multiples of `step` and not behind `time`.
inline std::chrono::milliseconds on_grid(std::chrono::milliseconds time, std::chrono::milliseconds step) {
  return time - time % step;
}

}  // namespace apps::nexmark
