#include <cstdint>

#include "apps/nexmark/totals.hpp"
#include "apps/nexmark_q1/nexmark_q1.hpp"

namespace apps::nexmark_q1 {

std::string expected(const nexmark::generator& house) {
  nexmark::totals totals;
  for (std::uint64_t number = 0; number < house.of().events; ++number) {
    const auto one = house.event_at(number);
    if (one.what != nexmark::kind::bid) continue;
    auto in_euros = one.bid;
    in_euros.price = one.bid.price * 1'000 - one.bid.price * 92;
    totals.add(one.time, in_euros);
  }
  return totals.lines();
}

}  // namespace apps::nexmark_q1
