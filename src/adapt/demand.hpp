/// What a run is asked to do, and what each stage has to do for it.
#pragma once

#include <thalweg/adapt/window.hpp>

#include <vector>

#include "stage_rates.hpp"

namespace THALWEG_NAMESPACE::adaptation {

struct demand {
  /// Items a second that each stage would get if all were fast enough.
  std::vector<double> asked;
  /// The part of that which the slowest serial stage, and the processors, can do: at most 1.
  double possible = 1;
  /// Processors that all of that would take if nothing disturbed anything.
  double work = 0;
  /// Of all paced sources, items a second; 0: no source is paced.
  double due = 0;
};

/// Processors that all stages together may use.
double processors_of(const window& w) noexcept;
/// `ahead`: what paced sources are expected to ask for soon, in units of what they ask for now.
demand demand_of(const window& w, const all_rates& rates, double ahead = 1);
/// Items are late: a paced source is behind or catching up, or a stage has more in front of it than it does
/// in a quarter of a window.
bool has_backlog(const window& w);

}  // namespace THALWEG_NAMESPACE::adaptation
