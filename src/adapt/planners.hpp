#pragma once

#include <thalweg/adapt/planner.hpp>

namespace THALWEG_NAMESPACE::adaptation {

/// The planners that have a name, each as one that has seen nothing yet.
planner::function mpr_planner();
planner::function thalweg_planner();

}  // namespace THALWEG_NAMESPACE::adaptation
