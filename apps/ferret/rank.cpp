#include "apps/ferret/rank.hpp"

#include <algorithm>

#include "apps/ferret/earth_mover.hpp"

namespace apps::ferret {

std::vector<match> nearest(const database& collection, signature_view described,
                           std::span<const std::uint32_t> candidates, std::size_t wanted) {
  std::vector<match> best;  // a heap, the furthest on top
  best.reserve(wanted + 1);
  for (const auto candidate : candidates) {
    const match next{candidate, earth_mover_distance(described, collection[candidate])};
    if (best.size() == wanted && next > best.front()) continue;
    best.push_back(next);
    std::ranges::push_heap(best);
    if (best.size() <= wanted) continue;
    std::ranges::pop_heap(best);
    best.pop_back();
  }
  std::ranges::sort_heap(best);
  return best;
}

}  // namespace apps::ferret
