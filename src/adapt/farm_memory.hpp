/// What did not help, remembered for the load it did not help with.
#pragma once

#include <thalweg/version.hpp>

#include <cstdint>

namespace THALWEG_NAMESPACE::adaptation {

/// Of one farm: the number beyond which growth brings nothing, and the one below which it does too little.
/// Each ends a circle of changes. Found out once, it holds for a short time, as something else may have
/// changed at the same moment; found out again, for long.
class farm_memory {
 public:
  /// Growth from this number brought nothing, in this window, with that many items a second asked of it.
  void grew_for_nothing(int from, std::uint64_t window, double asked);
  /// A smaller number did less, so it must not have fewer than this.
  void too_small(int least, std::uint64_t window, double asked);
  /// It shrank from this number to one that should do.
  void shrank(int from, double asked);
  /// It has to grow. If that is back from where it shrank to, under the same load, that was too small.
  void grows(int to, std::uint64_t window, double asked);

  /// Beyond this, growth is known to bring nothing.
  [[nodiscard]] int most(std::uint64_t window, double asked) const;
  /// Below this, it is known to do too little.
  [[nodiscard]] int least(std::uint64_t window, double asked) const;
  /// For how many windows it has to have been too large before it shrinks. Each mistake doubles them.
  [[nodiscard]] int patience(bool by_far) const;

 private:
  struct mark {
    int replicas = 0;
    std::uint64_t since = 0;
    double asked = 0;
    int times = 0;

    void set(int at, std::uint64_t window, double load);
    [[nodiscard]] bool holds(std::uint64_t window, double load) const;
  };

  mark ceiling_, floor_;
  int shrank_from_ = 0;
  double shrank_asked_ = 0;
  int mistakes_ = 0;
};

}  // namespace THALWEG_NAMESPACE::adaptation
