#include "spb/nexmark_q4.hpp"

#include "apps/nexmark_q4/average_price.hpp"
#include "apps/nexmark_q4/nexmark_q4.hpp"
#include "spb/detail/nexmark.hpp"

namespace spb {

void init_bench(int argc, char** argv) {
  detail::begin_nexmark(argc, argv, apps::nexmark_q4::about(),
                        detail::make_nexmark<apps::nexmark_q4::average_price>);
}

}  // namespace spb
