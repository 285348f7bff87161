#include <chrono>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "apps/nexmark/final_prices.hpp"
#include "apps/nexmark/results.hpp"
#include "apps/nexmark_q4/nexmark_q4.hpp"

namespace apps::nexmark_q4 {

std::string expected(const nexmark::generator& house) {
  using std::chrono::milliseconds;
  std::map<std::pair<std::int64_t, std::uint64_t>, std::vector<std::uint64_t>> prices;
  for (const auto& one : nexmark::final_prices(house)) {
    const auto half = one.expires.count() / 5'000;  // a window is two of these halves
    prices[{half - 1, one.category}].push_back(one.price);
    prices[{half, one.category}].push_back(one.price);
  }
  std::string lines;
  for (const auto& [where, all] : prices) {
    const auto sum = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
    lines.append(
        line_of(nexmark::category_price{milliseconds(where.first * 5'000), where.second, sum / all.size()}));
  }
  return lines;
}

}  // namespace apps::nexmark_q4
