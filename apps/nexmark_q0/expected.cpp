#include <cstdint>

#include "apps/nexmark/totals.hpp"
#include "apps/nexmark_q0/nexmark_q0.hpp"

namespace apps::nexmark_q0 {

std::string expected(const nexmark::generator& house) {
  nexmark::totals totals;
  for (std::uint64_t number = 0; number < house.of().events; ++number) {
    const auto one = house.event_at(number);
    if (one.what == nexmark::kind::bid) totals.add(one.time, one.bid);
  }
  return totals.lines();
}

}  // namespace apps::nexmark_q0
