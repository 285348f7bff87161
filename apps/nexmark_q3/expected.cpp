#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apps/nexmark/results.hpp"
#include "apps/nexmark_q3/nexmark_q3.hpp"

namespace apps::nexmark_q3 {

std::string expected(const nexmark::generator& house) {
  constexpr std::array<std::string_view, 3> wanted = {"CA", "ID", "OR"};
  std::unordered_map<std::uint64_t, nexmark::local_item> locals;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> auctions;  // and their sellers
  for (std::uint64_t number = 0; number < house.of().events; ++number) {
    const auto one = house.event_at(number);
    if (one.person && std::ranges::find(wanted, one.person->state) != wanted.end())
      locals[one.person->id] = {one.person->name, one.person->city, one.person->state, 0};
    if (one.auction && one.auction->category == 10)
      auctions.emplace_back(one.auction->id, one.auction->seller);
  }
  std::string lines;
  for (const auto& [auction, seller] : auctions) {
    const auto found = locals.find(seller);
    if (found == locals.end()) continue;
    found->second.auction = auction;
    lines.append(line_of(found->second));
  }
  return lines;
}

}  // namespace apps::nexmark_q3
