/// How many replicas each farm needs.
#pragma once

#include <thalweg/adapt/window.hpp>

#include <vector>

#include "demand.hpp"
#include "stage_rates.hpp"

namespace THALWEG_NAMESPACE::adaptation {

struct farm_size {
  int most = 1;         ///< never more: bounds, and processors for those that compute
  int needed = 1;       ///< fewest with which it does its work and is idle a little
  double work = 0;      ///< what it has to do, in replicas that nothing disturbs
  double loaded = 0;    ///< the part of what it can do now that this is
  double share = 1;     ///< the part of all work that is asked for which is its own
  bool limits = false;  ///< it cannot do what is asked, with any number: it is the one all wait for
};

/// Of all stages; serial ones need one. Makes `d.possible` what is possible with the farms, too. `most` are
/// the numbers beyond which growth is known not to help.
std::vector<farm_size> farm_sizes(const window& w, const all_rates& rates, const std::vector<int>& most,
                                  double target, demand& d);

/// Most replicas of a farm that a planner may ask for.
int most_of(const window& w, const stage_window& s, const stage_rates& r);

}  // namespace THALWEG_NAMESPACE::adaptation
