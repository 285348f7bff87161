#pragma once

#include <thalweg/adapt/window.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::adaptation {

/// The number that is nearest to `wanted` among those that may be asked for.
inline int within_bounds(const stage_window& farm, double wanted) {
  if (!(wanted > farm.least)) return farm.least;
  return wanted < farm.most ? static_cast<int>(wanted) : farm.most;
}

/// Items in a second; 0 for no time.
inline double per_second(double items, std::chrono::nanoseconds in) {
  return in.count() > 0 ? items / std::chrono::duration<double>(in).count() : 0.0;
}

/// One reason more.
inline void add_reason(changes& to, std::string_view reason) {
  if (!to.reason.empty()) to.reason += "; ";
  to.reason += reason;
}

}  // namespace THALWEG_NAMESPACE::adaptation
