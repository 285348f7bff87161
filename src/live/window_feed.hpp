#pragma once

#include <thalweg/adapt/window.hpp>
#include <thalweg/version.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::live {

/// Between a run that adapts itself and controllers that come over HTTP: they read its windows, and write
/// what shall change (docs/controllers.md). The run waits for none of them. Thread-safe.
class window_feed {
 public:
  window_feed();

  /// The run has seen a window: what was asked for since the last one.
  [[nodiscard]] adaptation::changes show(const adaptation::window& w);

  struct line {
    std::uint64_t number = 0;  ///< of the window
    std::shared_ptr<const std::string> json;
  };
  /// The newest window, if it is newer than this one; waits for it for so long.
  [[nodiscard]] std::optional<line> after(std::uint64_t number, std::chrono::nanoseconds most) const;

  /// Takes a document, or refuses it: the answer, a line of JSON.
  [[nodiscard]] std::string take(std::string_view document);

 private:
  const std::string run_;
  mutable std::mutex mutex_;
  mutable std::condition_variable shown_changed_;
  std::optional<adaptation::window> shown_;  // without its latencies
  line line_;
  std::uint64_t last_seq_ = 0;
  adaptation::changes asked_for_;
};

}  // namespace THALWEG_NAMESPACE::live
