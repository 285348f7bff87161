#pragma once

#include <thalweg/version.hpp>

namespace THALWEG_NAMESPACE::run_detail {

struct run_state;

/// While it lives, the calling thread executes operators of that run, perhaps inside another run's.
class executing {
 public:
  explicit executing(const run_state& run) noexcept;
  executing(const executing&) = delete;
  executing& operator=(const executing&) = delete;
  ~executing();

  /// Whether the calling thread is in a call of an operator of this run.
  [[nodiscard]] static bool operators_of(const run_state& run) noexcept;

 private:
  const run_state* const run_;
  const executing* const outer_;
};

}  // namespace THALWEG_NAMESPACE::run_detail
