#pragma once

#include <thalweg/adapt/window.hpp>

#include <cstddef>
#include <vector>

namespace THALWEG_NAMESPACE::adaptation {

/// Stages that have their replicas together: a farm, or one serial stage.
struct unit {
  std::vector<const stage_window*> stages;  ///< in the order of the stream
  [[nodiscard]] const stage_window& first() const { return *stages.front(); }
  [[nodiscard]] const stage_window& last() const { return *stages.back(); }
  [[nodiscard]] bool farm() const { return first().farm(); }
};

/// All stages of a window, each in one unit, in the order of the stream. They point into the window.
std::vector<unit> units_of(const window& w);

/// The farms among them.
std::vector<unit> farms_of(const window& w);

/// The number that is nearest to `wanted` among those that may be asked for.
int within_bounds(const stage_window& farm, double wanted);

/// Items in a second; 0 for no time.
double per_second(double items, std::chrono::nanoseconds in);

}  // namespace THALWEG_NAMESPACE::adaptation
