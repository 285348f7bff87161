#pragma once

#include <thalweg/version.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>

#include "control.hpp"
#include "sampler.hpp"
#include "window_feed.hpp"

namespace THALWEG_NAMESPACE::live {

/// Controllers of the run that is watched, over HTTP. The run adapts itself by what they say for as long as
/// at least one of them reads its windows: in place of the planner that it had, which does not come back.
/// Thread-safe.
class remote_control {
 public:
  explicit remote_control(sampler& runs) : runs_(runs) {}

  /// Somebody who reads windows, until this is destroyed. `run`: whose they are. `planner`: expired if the
  /// run has got another one since, so that no more windows come.
  struct reader {
    std::shared_ptr<window_feed> from;
    std::shared_ptr<subject> run;
    std::weak_ptr<void> planner;
    std::shared_ptr<void> counts;
  };
  /// One more reader, or why not. Windows are so long as the first one asks.
  [[nodiscard]] std::variant<reader, outcome> begin(std::chrono::nanoseconds every);

  /// The answer to a document of a controller: a line of JSON. Empty: nobody reads windows.
  [[nodiscard]] std::string take(std::string_view document);

 private:
  void end(const std::weak_ptr<void>& planner);

  sampler& runs_;
  std::mutex mutex_;  // guards what follows
  std::weak_ptr<subject> run_;
  std::weak_ptr<window_feed> feed_;
  std::weak_ptr<void> planner_;  // lives as long as the run has it
  std::weak_ptr<void> readers_;
};

}  // namespace THALWEG_NAMESPACE::live
