#pragma once

#include <thalweg/adapt/window.hpp>
#include <thalweg/observe/report.hpp>
#include <thalweg/run/engine.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail {

/// The stages of a run as planners see them: the stages of a farm as one.
class run_windows {
 public:
  /// Only farms with a range of replicas may change, unless `all` may.
  run_windows(const engine& run, const adaptation::bounds& within, bool all);

  /// What has happened between two reports of the run. What the run itself does not know stays empty: its
  /// number and the goal.
  [[nodiscard]] adaptation::window between(const report& before, const report& now) const;
  /// The farm of a window that has this stage, or this name; null: there is none.
  [[nodiscard]] const adaptation::stage_window* farm_named(const adaptation::window& seen,
                                                           std::string_view name) const noexcept;
  /// Whether there is anything that may be changed.
  [[nodiscard]] bool anything_to_change() const noexcept;
  /// The same of what stages say of themselves: replicas and limits of batches.
  [[nodiscard]] bool stages_to_change() const noexcept;
  /// Whether all may be changed that can be, not only farms with a range of replicas.
  [[nodiscard]] bool all() const noexcept { return all_; }

 private:
  struct entry {
    std::size_t first, last;  // stages of the plan
    int least = 1, most = 1;
    bool farm = false, batches = false;
    std::vector<std::string> names = {};  // of its stages
  };
  void bound_ranks(adaptation::window& to) const;

  const engine& run_;
  const adaptation::bounds within_;
  const bool all_;
  std::vector<entry> entries_;
};

}  // namespace THALWEG_NAMESPACE::run_detail
