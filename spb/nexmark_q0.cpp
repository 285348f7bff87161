#include "spb/nexmark_q0.hpp"

#include "apps/nexmark_q0/bids.hpp"
#include "apps/nexmark_q0/nexmark_q0.hpp"
#include "spb/detail/nexmark.hpp"

namespace spb {

void init_bench(int argc, char** argv) {
  detail::begin_nexmark(argc, argv, apps::nexmark_q0::about(), nullptr);
}

void Bids::op(Item& item) {
  detail::keep_bids(item, apps::nexmark_q0::is_bid);
}

}  // namespace spb
