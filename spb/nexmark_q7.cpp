#include "spb/nexmark_q7.hpp"

#include "apps/nexmark_q7/highest_bids.hpp"
#include "apps/nexmark_q7/nexmark_q7.hpp"
#include "spb/detail/nexmark.hpp"

namespace spb {

void init_bench(int argc, char** argv) {
  detail::begin_nexmark(argc, argv, apps::nexmark_q7::about(),
                        detail::make_nexmark<apps::nexmark_q7::highest_bids>);
}

}  // namespace spb
