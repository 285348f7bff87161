#pragma once

#include <thalweg/version.hpp>

namespace THALWEG_NAMESPACE::run_detail {

struct run_state;

/// While it lives, the calling thread executes operators of that run, perhaps inside another run's.
class executing {
 public:
  explicit executing(const run_state& run) noexcept : run_(&run), outer_(innermost) { innermost = this; }
  executing(const executing&) = delete;
  executing& operator=(const executing&) = delete;
  ~executing() { innermost = outer_; }

  /// Whether the calling thread is in a call of an operator of this run.
  [[nodiscard]] static bool operators_of(const run_state& run) noexcept {
    for (const auto* at = innermost; at != nullptr; at = at->outer_) {
      if (at->run_ == &run) return true;
    }
    return false;
  }

 private:
  static constinit inline thread_local const executing* innermost = nullptr;

  const run_state* const run_;
  const executing* const outer_;
};

}  // namespace THALWEG_NAMESPACE::run_detail
