#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "apps/nexmark/final_prices.hpp"
#include "apps/nexmark/results.hpp"
#include "apps/nexmark_q6/nexmark_q6.hpp"

namespace apps::nexmark_q6 {

std::string expected(const nexmark::generator& house) {
  std::string lines;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> sums;  // of a seller's prices, up to each
  for (const auto& one : nexmark::final_prices(house)) {
    auto& up_to = sums[one.seller];
    up_to.push_back((up_to.empty() ? 0 : up_to.back()) + one.price);
    const auto count = std::min<std::size_t>(up_to.size(), 10);
    const auto before = up_to.size() > count ? up_to[up_to.size() - count - 1] : 0;
    lines.append(line_of(nexmark::seller_price{one.seller, one.id, (up_to.back() - before) / count}));
  }
  return lines;
}

}  // namespace apps::nexmark_q6
