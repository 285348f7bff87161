#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/support/random.hpp"

namespace apps {

/// Chooses among things of unlike weight in constant time, the same on every machine: the alias method (A.
/// Walker, An Efficient Method for Generating Discrete Random Variables with General Distributions, 1977; the
/// tables are made as in M. Vose, 1991). Probabilities are right to 2^-32.
///
/// ```cpp
/// const std::vector<std::uint64_t> weights{1, 0, 3};
/// const apps::choice one(weights);
/// apps::random dice(42);
/// assert(one(dice) != 1);  // 0 in one of four, 2 in three of four
/// ```
class choice {
 public:
  /// `weights`: at least one of them above 0; their sum times their number below 2^64.
  explicit choice(std::span<const std::uint64_t> weights) : columns_(weights.size()) {
    const std::uint64_t n = weights.size();
    std::uint64_t all = 0;
    for (const auto weight : weights) all += weight;
    std::vector<std::uint64_t> rest(weights.begin(), weights.end());
    std::vector<std::uint32_t> low;
    std::vector<std::uint32_t> high;
    for (std::uint32_t i = 0; i < n; ++i) {
      rest[i] *= n;
      columns_[i].other = i;
      (rest[i] < all ? low : high).push_back(i);
    }
    // Every column holds `all`: what one of low weight leaves free goes to one of high weight.
    while (!low.empty() && !high.empty()) {
      const auto poor = low.back();
      const auto rich = high.back();
      low.pop_back();
      columns_[poor] = {cut(rest[poor], all), rich};
      rest[rich] -= all - rest[poor];
      if (rest[rich] < all) {
        high.pop_back();
        low.push_back(rich);
      }
    }
  }

  /// The index of one of the weights.
  std::uint32_t operator()(random& dice) const {
    const auto bits = dice.next();
    const auto i = static_cast<std::uint32_t>(((bits >> 32) * columns_.size()) >> 32);
    const auto& column = columns_[i];
    return static_cast<std::uint32_t>(bits) < column.cut ? i : column.other;
  }

 private:
  struct column {
    std::uint32_t cut = 0;
    std::uint32_t other = 0;
  };

  static std::uint32_t cut(std::uint64_t part, std::uint64_t all) {
    // A division is rounded alike everywhere, as IEEE 754 has it.
    const double scaled = static_cast<double>(part) / static_cast<double>(all) * 0x1p32;
    return static_cast<std::uint32_t>(std::min(scaled, 0x1p32 - 1));
  }

  std::vector<column> columns_;
};

}  // namespace apps
