/// `batch_limits`: what closes a batch.
#pragma once

#include <thalweg/version.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace THALWEG_NAMESPACE {

/// What closes a batch: whichever comes first.
struct batch_limits {
  std::int64_t items = 0;  ///< this many are in it; 0: no limit
  std::int64_t bytes = 0;  ///< this many are in it (`size_of`), or more with the last item; 0: no limit
  /// Its first item has waited this long, whether or not another one comes; 0: no limit.
  std::chrono::nanoseconds interval{0};

  friend bool operator==(const batch_limits&, const batch_limits&) = default;
};

/// Limits as text for people, such as `64 items or 10.0 ms`; empty if there is none.
///
/// ```cpp
/// assert(tw::to_string(tw::batch_limits{.items = 64, .interval = 10ms}) == "64 items or 10.0 ms");
/// ```
std::string to_string(const batch_limits& limits);

}  // namespace THALWEG_NAMESPACE
