#include "batch_cost.hpp"

#include <algorithm>

namespace THALWEG_NAMESPACE::adaptation {

namespace {

constexpr double keep_of_batches = 0.9;  // with each that is seen
// Sizes that differ by less than this part of their mean say nothing: what they show is noise.
constexpr double differ_enough = 0.05;

}  // namespace

void batch_cost::saw(double items, double seconds) noexcept {
  if (items <= 0 || seconds < 0) return;
  weight_ = keep_of_batches * weight_ + 1;
  const auto more = items - items_;
  const auto longer = seconds - seconds_;
  items_ += more / weight_;
  seconds_ += longer / weight_;
  spread_ = keep_of_batches * spread_ + more * (items - items_);
  together_ = keep_of_batches * together_ + longer * (items - items_);
}

double batch_cost::per_item() const noexcept {
  if (weight_ <= 0 || items_ <= 0) return 0;
  const auto noise = differ_enough * items_;
  if (spread_ < weight_ * noise * noise) return 0;
  return std::clamp(together_ / spread_, 0.0, seconds_ / items_);
}

double batch_cost::fixed() const noexcept {
  return std::max(0.0, seconds_ - per_item() * items_);
}

}  // namespace THALWEG_NAMESPACE::adaptation
