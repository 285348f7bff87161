#include <thalweg/flow/arrivals.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace thalweg::flow {

arrivals::arrivals(rate r, when_late late)
    : rate_(std::move(r)), late_(late), random_(rate_.seed().value_or(0)) {
  if (rate_.seed()) reached_ = gap();
  next_ = rate_.when(reached_);
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
  if (late_ != when_late::skip) return 0;
  std::uint64_t passed = 0;
  // Without randomness the newest that is due is known at once.
  if (!rate_.seed() && now > next_) {
    const double newest = std::floor(rate_.items(now));
    if (newest > reached_ && rate_.when(newest) <= now) {
      passed = static_cast<std::uint64_t>(newest - reached_);
      reached_ += static_cast<double>(passed);
      next_ = rate_.when(reached_);
    }
  }
  if (!rate_.seed()) return passed;
  for (;;) {
    const auto random = random_;
    const double behind = reached_ + gap();
    if (rate_.when(behind) > now) {
      random_ = random;  // it is drawn again, when it comes to that
      return passed;
    }
    reached_ = behind;
    next_ = rate_.when(reached_);
    ++passed;
  }
}

}  // namespace thalweg::flow
