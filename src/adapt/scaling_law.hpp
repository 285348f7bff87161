/// How the work that a farm gets done grows with its replicas, learned from what it did.
#pragma once

#include <thalweg/version.hpp>

#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::adaptation {

/// p replicas do the work of C(p) = p / (1 + α(p−1) + βp(p−1)) that do not disturb each other: α is the part
/// of the work that only one does at a time, β what each pair costs (the universal scalability law). So an
/// item takes each of them a + b(p−1) + dp(p−1) seconds, which is fitted, by least squares, to what was seen
/// with each number. What is not seen yet counts as if nothing disturbs: it has to be tried to be learned.
class scaling_law {
 public:
  /// With this many replicas, none of them ever idle, an item took each of them this many seconds. The latest
  /// counts most. If the items themselves became longer, so did they for the other numbers.
  void saw(int replicas, double seconds);
  /// As above when replicas were idle too: this many were at work on average. It says how long items are, and
  /// nothing of how the work grows.
  void saw_part(double at_work, double seconds);
  /// What is known now of this number counts as seen, before others are tried.
  void keep(int replicas);
  /// Only what was seen with up to this many replicas stays.
  void forget_above(int replicas);

  /// Whether a look, and the one before it, showed that items became longer or shorter by much, since this
  /// was asked last.
  [[nodiscard]] bool has_jumped() noexcept { return std::exchange(jumped_, false); }
  /// It was seen with fewer, too: so it is known what the last ones add.
  [[nodiscard]] bool knows_fewer_than(int replicas) const noexcept;
  [[nodiscard]] bool known() const noexcept { return alone_ > 0; }
  /// Seconds for an item with one replica; 0 if that is not known yet.
  [[nodiscard]] double alone() const noexcept { return alone_; }
  /// The work of how many undisturbed replicas that many do.
  [[nodiscard]] double capacity(double replicas) const noexcept;
  /// How many have to be at work for that much work (in undisturbed replicas); infinite: no number can do it.
  [[nodiscard]] double at_work(double work) const noexcept;
  /// The most replicas, up to `most`, of which each adds at least this much work.
  [[nodiscard]] int worth(int most, double least_gain) const noexcept;

 private:
  struct sight {
    int replicas;
    double seconds;
    int times;
  };
  void follow(double ratio, bool whole) noexcept;
  void begin() noexcept;
  void scale(double by) noexcept;
  void fit() noexcept;

  std::vector<sight> seen_;                    // the latest first
  double alone_ = 0, serial_ = 0, pairs_ = 0;  // a, α, β
  double rest_ = 1;  // the factor by which the latest look was off what is known now
  int off_ = 0;      // this many looks in a row were far from what is known: above (> 0) or below (< 0) it
  double last_ = 0;  // the logarithm of that factor, then
  double variance_ = 0.01, bias_ = 0;    // of looks, and their mean distance from what is known
  int looks_ = 0;                        // at this state
  bool whole_ = false, jumped_ = false;  // whole: the latest was of replicas that were never idle
};

}  // namespace THALWEG_NAMESPACE::adaptation
