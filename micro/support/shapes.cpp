#include "shapes.hpp"

#include <algorithm>
#include <random>

namespace micro {

std::shared_ptr<const std::vector<event>> zipf_events(std::uint64_t items, std::uint32_t keys) {
  std::vector<double> up_to(keys);
  double sum = 0;
  for (std::uint32_t k = 0; k < keys; ++k) up_to[k] = sum += 1.0 / (k + 1);
  std::mt19937_64 random(keys);
  std::uniform_real_distribution<double> point(0, sum);
  auto made = std::make_shared<std::vector<event>>(items);
  for (auto& e : *made) {
    const auto found = std::upper_bound(up_to.begin(), up_to.end() - 1, point(random));
    const auto rank = static_cast<std::uint32_t>(found - up_to.begin());
    e = {random(), rank * 2'654'435'761U};  // odd: different ranks get different keys
  }
  return made;
}

std::shared_ptr<const std::vector<reading>> readings_of(std::uint64_t items, std::uint32_t keys) {
  auto made = std::make_shared<std::vector<reading>>(items);
  for (std::uint64_t i = 0; i < items; ++i) {
    const auto time = window_size + static_cast<std::int64_t>(i / keys);
    (*made)[i] = {time, scattered(i) % 1'000 + 1, static_cast<std::uint32_t>(i % keys)};
  }
  return made;
}

}  // namespace micro
