#pragma once

#include <thalweg/model/function_ref.hpp>

#include <cstdint>
#include <exception>
#include <mutex>

namespace THALWEG_NAMESPACE::run_detail {

/// The errors of a run. Of the caught errors that end it, the one at the lowest position is kept, so that the
/// reported error depends as little as possible on which thread was first. Thread-safe.
class run_errors {
 public:
  void keep(std::exception_ptr why, std::int64_t position);
  /// Null: there was none.
  [[nodiscard]] std::exception_ptr kept() const;
  /// Where in the stream, as its source counts.
  [[nodiscard]] std::int64_t position() const;

  /// Calls `f`, which calls a handler of errors: one call at a time in the whole run.
  void one_at_a_time(model::function_ref<void()> f);

 private:
  mutable std::mutex mutex_;
  std::exception_ptr kept_;
  std::int64_t position_ = 0;
  std::mutex handling_;
};

}  // namespace THALWEG_NAMESPACE::run_detail
