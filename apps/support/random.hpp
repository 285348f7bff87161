#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace apps {

/// Random numbers that are the same on every machine and with every compiler, which those of the standard
/// library's distributions are not: xoshiro256** (D. Blackman and S. Vigna, Scrambled Linear Pseudorandom
/// Number Generators, 2021), seeded by splitmix64. Floating-point results come from exact operations alone.
///
/// ```cpp
/// apps::random dice(42);
/// const auto eyes = 1 + dice.below(6);
/// assert(eyes >= 1 && eyes <= 6);
/// ```
class random {
 public:
  explicit random(std::uint64_t seed) {
    for (auto& word : state_) {
      seed += 0x9E3779B97F4A7C15;
      auto z = seed;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
      word = z ^ (z >> 31);
    }
  }

  /// 64 random bits.
  std::uint64_t next() {
    const auto result = std::rotl(state_[1] * 5, 7) * 9;
    const auto t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  /// 0 to n - 1, all alike (n up to 2^32; the bias is below n / 2^32).
  std::uint64_t below(std::uint64_t n) { return ((next() >> 32) * n) >> 32; }
  /// `low` to `high`, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  /// 0 <= x < 1.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool chance(double probability) { return uniform() < probability; }
  /// About normal, mean 0, deviation 1, never beyond 6: the sum of twelve uniform numbers.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace apps
