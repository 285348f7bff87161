/// What changes have shown of the right number, remembered for the load they were made under.
#pragma once

#include <thalweg/version.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace THALWEG_NAMESPACE::adaptation {

/// Of one farm and each load: an interval of numbers, which each change that was judged makes smaller. So no
/// number is tried twice, and changes end, as long as the load and the items stay alike.
class farm_memory {
 public:
  /// With this number it did too little. That counts more than what was remembered against it.
  void too_few(int replicas, std::uint64_t window, double load);
  /// With fewer it did too little, and growth from `from` to `to` has to be made up for what lies between.
  void too_few_between(int to, int from, std::uint64_t window, double load);
  /// More than this bring nothing.
  void more_is_useless(int replicas, std::uint64_t window, double load);
  /// That may be otherwise now.
  void more_may_help(std::uint64_t window, double load);
  /// This many did all there was to do.
  void enough(int replicas, std::uint64_t window, double load);
  /// Items became longer or shorter: nothing of it holds.
  void forget() noexcept { known_.clear(); }

  /// Fewer are known to do too little.
  [[nodiscard]] int least(std::uint64_t window, double load) const;
  /// More are known to bring nothing.
  [[nodiscard]] int most(std::uint64_t window, double load) const;
  /// As many were enough, so more need a better reason than an estimate.
  [[nodiscard]] bool was_enough(int replicas, std::uint64_t window, double load) const;

 private:
  static constexpr int any = std::numeric_limits<int>::max();
  // A number, and since when it is known: it holds for long, but not for ever.
  struct mark {
    int replicas;
    std::uint64_t since = 0;

    [[nodiscard]] bool holds(std::uint64_t window) const;
  };
  struct range {
    double load;
    std::uint64_t since;
    mark least{1}, most{any}, enough{any};
  };
  range& of(std::uint64_t window, double load);
  [[nodiscard]] range at(std::uint64_t window, double load) const;

  std::vector<range> known_;  // the latest first
};

}  // namespace THALWEG_NAMESPACE::adaptation
