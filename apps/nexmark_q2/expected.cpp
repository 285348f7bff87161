#include <cstdint>

#include "apps/nexmark/totals.hpp"
#include "apps/nexmark_q2/nexmark_q2.hpp"

namespace apps::nexmark_q2 {

std::string expected(const nexmark::generator& house) {
  nexmark::totals totals;
  for (std::uint64_t number = 0; number < house.of().events; ++number) {
    const auto one = house.event_at(number);
    if (one.what != nexmark::kind::bid || one.bid.auction / 123 * 123 != one.bid.auction) continue;
    nexmark::bid of;
    of.auction = one.bid.auction;
    of.price = one.bid.price;
    totals.add(one.time, of);
  }
  return totals.lines();
}

}  // namespace apps::nexmark_q2
