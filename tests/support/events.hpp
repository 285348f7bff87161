/// Keyed events with times of their own, and windows that show what they hold.
#pragma once

#include <thalweg/pattern/window.hpp>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace events {

namespace tw = thalweg;

struct event {
  int key = 0;
  std::int64_t at = 0;
  std::int64_t value = 0;
  bool operator==(const event&) const = default;
};

struct stream_kind {
  int items, keys;
  std::int64_t disorder;  // what comes up to so much late
  std::int64_t step;      // by so much time goes on, at most
  int jumps = 0;          // one item in so many lies far ahead
};

inline std::vector<event> random_events(std::mt19937& random, const stream_kind& s) {
  std::vector<event> all;
  std::int64_t now = 0;
  for (int i = 0; i < s.items; ++i) {
    now += static_cast<std::int64_t>(random() % static_cast<unsigned>(s.step + 1));
    if (s.jumps > 0 && random() % static_cast<unsigned>(s.jumps) == 0) now += 50 * s.step + 5'000;
    const auto behind = static_cast<std::int64_t>(random() % static_cast<unsigned>(s.disorder + 1));
    all.push_back({static_cast<int>(random() % static_cast<unsigned>(s.keys)), now - behind, i});
  }
  return all;
}

// Shows which items are in it, and in which order they came.
inline auto listing() {
  return tw::aggregate([](const event& e) { return std::vector<std::int64_t>{e.value}; },
                       [](std::vector<std::int64_t> a, const std::vector<std::int64_t>& b) {
                         a.insert(a.end(), b.begin(), b.end());
                         return a;
                       });
}
inline auto whole() {
  return [](std::span<const event> all) {
    std::vector<std::int64_t> values;
    for (const auto& e : all) values.push_back(e.value);
    return values;
  };
}

}  // namespace events
