#include "memory.hpp"

#include <algorithm>
#include <cmath>

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// Windows until a growth that brought nothing may be tried again: when the load changes, and at all.
constexpr std::uint64_t soon = 100, late = 3000;

bool alike(double a, double b) {
  return a > 0 && b > 0 && std::abs(std::log(a / b)) < 0.25;
}

}  // namespace

void farm_memory::grew_for_nothing(int from, std::uint64_t window, double asked) {
  ceiling_ = from;
  since_ = window;
  ceiling_asked_ = asked;
  failed_ = std::min(failed_ + 1, 6);
}

void farm_memory::shrank(int from, double asked, double seconds) {
  shrank_from_ = from;
  shrank_asked_ = asked;
  shrank_seconds_ = seconds;
}

void farm_memory::grows(int to, double asked, double seconds) {
  const bool back = shrank_from_ > 0 && to <= shrank_from_ && alike(asked, shrank_asked_) &&
                    std::abs(std::log(seconds / shrank_seconds_)) < 0.7;
  shrank_from_ = 0;
  if (!back) return;
  mistakes_ = std::min(mistakes_ + 1, 6);
  floor_ = to;
  floor_asked_ = asked;
  floor_seconds_ = seconds;
}

int farm_memory::most(std::uint64_t window, double asked) {
  const auto passed = (window - since_) >> failed_;
  if (ceiling_ != std::numeric_limits<int>::max() &&
      (passed > late || (passed > soon && !alike(asked, ceiling_asked_)))) {
    ceiling_ = std::numeric_limits<int>::max();
    forgot_ = true;
  }
  return ceiling_;
}

int farm_memory::least(double asked, double seconds) const {
  return alike(asked, floor_asked_) && alike(seconds, floor_seconds_) ? floor_ : 1;
}

int farm_memory::patience(bool by_far) const {
  return (by_far ? 3 : 10) << mistakes_;
}

}  // namespace THALWEG_NAMESPACE::adaptation
