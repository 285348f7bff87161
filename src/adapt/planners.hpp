#pragma once

#include <thalweg/adapt/planner.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::adaptation {

/// A number that users may set for a planner.
struct setting {
  std::string_view name;
  double usual = 0;  ///< if it is not given
  double least = 0, most = 0;
  bool whole = false;
};

/// What a planner is to work with: the value of each of its settings.
class settings {
 public:
  explicit settings(const std::vector<setting>& of);
  void set(std::string_view name, double value);
  /// Of a setting that the planner has.
  [[nodiscard]] double of(std::string_view name) const;
  [[nodiscard]] int whole(std::string_view name) const { return static_cast<int>(of(name)); }
  [[nodiscard]] bool on(std::string_view name) const { return of(name) != 0; }

 private:
  std::vector<std::pair<std::string_view, double>> values_;
};

/// A planner that has a name.
struct named_planner {
  std::string_view name;
  std::vector<setting> has;
  planner::function (*begin)(const settings&);  ///< one that has seen nothing yet
};

named_planner das_planner();
named_planner ds2_planner();
named_planner mpr_planner();
named_planner thalweg_planner();
named_planner teetime_planner();  ///< with the regression
named_planner teetime_mean_planner();
named_planner teetime_weighted_planner();

}  // namespace THALWEG_NAMESPACE::adaptation
