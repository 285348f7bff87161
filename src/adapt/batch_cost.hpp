/// The time of a batch over the number of its items.
#pragma once

#include <thalweg/version.hpp>

namespace THALWEG_NAMESPACE::adaptation {

/// ω(b) = a + m·b, fitted by least squares in which older batches count less and less; neither part is ever
/// negative. Until sizes that differ have shown m, it counts as 0: a smaller batch is expected to take as
/// long.
class batch_cost {
 public:
  void saw(double items, double seconds) noexcept;
  [[nodiscard]] bool known() const noexcept { return weight_ > 0; }
  [[nodiscard]] double fixed() const noexcept;     ///< a
  [[nodiscard]] double per_item() const noexcept;  ///< m
  [[nodiscard]] double at(double items) const noexcept { return fixed() + per_item() * items; }

 private:
  double weight_ = 0, items_ = 0, seconds_ = 0;  // how much was seen, and its means
  double spread_ = 0, together_ = 0;             // sums of squares and products around the means
};

}  // namespace THALWEG_NAMESPACE::adaptation
