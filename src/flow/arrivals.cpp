#include <thalweg/flow/arrivals.hpp>
#include <thalweg/flow/wait.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace THALWEG_NAMESPACE::flow {

arrivals::arrivals(rate r, when_late late)
    : rate_(std::move(r)), late_(late), random_(rate_.seed().value_or(0)) {
  if (rate_.seed()) reached_ = gap();
  next_ = rate_.when(reached_);
}

std::int64_t arrivals::next_ns() const noexcept {
  constexpr double longest_s = 1e9;
  return next_ < longest_s ? static_cast<std::int64_t>(next_ * 1e9) : never;
}

bool arrivals::dense() const {
  return rate_.at(next_) * dense_ns > 1e9;
}

// In items: 1, or at random (exponential, of mean 1). The generator is splitmix64: G. Steele, D. Lea and
// C. Flood, Fast Splittable Pseudorandom Number Generators, 2014.
double arrivals::gap() noexcept {
  if (!rate_.seed()) return 1;
  auto x = random_ += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  x ^= x >> 31;
  return -std::log1p(-static_cast<double>(x >> 11) * 0x1p-53);
}

void arrivals::advance(double now) {
  if (late_ == when_late::closed_loop && now > next_) reached_ = std::max(reached_, rate_.items(now));
  reached_ += gap();
  next_ = rate_.when(reached_);
}

std::uint64_t arrivals::pass_over(double now) {
  if (late_ != when_late::skip || now <= next_) return 0;
  std::uint64_t passed = 0;
  if (!rate_.seed()) {
    // The newest that is due is known at once.
    const double newest = std::floor(rate_.items(now));
    if (newest <= reached_ || rate_.when(newest) > now) return 0;
    const double behind = std::floor(newest - reached_);
    constexpr double most = 0x1p63;  // of a rate that no clock can follow
    passed = static_cast<std::uint64_t>(std::min(behind, most));
    reached_ += behind;
    next_ = rate_.when(reached_);
    return passed;
  }
  for (;; ++passed) {
    const auto random = random_;
    const double behind = reached_ + gap();
    const double moment = rate_.when(behind);
    if (moment > now) {
      random_ = random;  // it is drawn again, when it comes to that
      return passed;
    }
    reached_ = behind;
    next_ = moment;
  }
}

}  // namespace THALWEG_NAMESPACE::flow
