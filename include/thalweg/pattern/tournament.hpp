#pragma once

#include <thalweg/version.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// Which of n numbers is the least, when one changes at a time: each pair plays, the winners play each other,
/// and after a change only the matches of the one that has changed are played again. Among equal ones the
/// first wins. O(log n) per change (D. Knuth, The Art of Computer Programming, volume 3, section 5.4.1).
///
/// ```cpp
/// tw::model::tournament next;
/// next.resize(3, 0);
/// next.set(0, 7);
/// next.set(1, 3);
/// next.set(2, 5);
/// next.play();
/// assert(next.winner() == 1 && next.best() == 3);
/// next.replay(1, 9);
/// assert(next.winner() == 2);
/// ```
class tournament {
 public:
  /// `n` numbers, all `all`.
  void resize(std::size_t n, std::int64_t all) {
    first_ = std::bit_ceil(n);
    numbers_.assign(first_, std::numeric_limits<std::int64_t>::max());
    winners_.resize(2 * first_);
    for (std::size_t i = 0; i < first_; ++i) winners_[first_ + i] = i;
    for (std::size_t i = 0; i < n; ++i) numbers_[i] = all;
    play();
  }
  /// Changes a number; `play` has to follow.
  void set(std::size_t i, std::int64_t number) { numbers_[i] = number; }
  void play() {
    for (auto at = first_ - 1; at > 0; --at) match(at);
  }
  /// Changes a number.
  void replay(std::size_t i, std::int64_t number) {
    numbers_[i] = number;
    for (auto at = (first_ + i) / 2; at > 0; at /= 2) match(at);
  }

  [[nodiscard]] std::size_t winner() const { return winners_[1]; }
  [[nodiscard]] std::int64_t best() const { return numbers_[winner()]; }

 private:
  void match(std::size_t at) {
    const auto a = winners_[2 * at];
    const auto b = winners_[2 * at + 1];
    winners_[at] = numbers_[b] < numbers_[a] ? b : a;
  }

  std::size_t first_ = 1;  // where the leaves begin
  std::vector<std::int64_t> numbers_;
  std::vector<std::size_t> winners_;
};

}  // namespace THALWEG_NAMESPACE::model
