#pragma once

#include <thalweg/adapt/window.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::adaptation {

/// The number that is nearest to `wanted` among those that may be asked for.
inline int within_bounds(const stage_window& farm, double wanted) {
  if (!(wanted > farm.least)) return farm.least;
  return wanted < farm.most ? static_cast<int>(wanted) : farm.most;
}

/// How many ranks may be asked for.
inline int most_ranks_of(const window& w) {
  return std::max(1, std::min(w.bounds.most_ranks, static_cast<int>(w.ranks.size())));
}
inline int least_ranks_of(const window& w) {
  return std::clamp(w.bounds.least_ranks, 1, most_ranks_of(w));
}

inline double as_seconds(std::chrono::nanoseconds t) {
  return std::chrono::duration<double>(t).count();
}

/// Items in a second; 0 for no time.
inline double per_second(double items, std::chrono::nanoseconds in) {
  return in.count() > 0 ? items / as_seconds(in) : 0.0;
}

/// Items a second that are due at all paced sources together.
inline double due_rate_of(const window& w) {
  double due = 0;
  for (const auto& s : w.stages) due += s.due_rate.value_or(0);
  return due;
}

/// One more of several things that are said.
inline void add_part(std::string& to, std::string_view more) {
  if (more.empty()) return;
  if (!to.empty()) to += "; ";
  to += more;
}

/// One reason more.
inline void add_reason(changes& to, std::string_view reason) {
  add_part(to.reason, reason);
}

}  // namespace THALWEG_NAMESPACE::adaptation
