#include "spb/nexmark_q6.hpp"

#include "apps/nexmark_q6/nexmark_q6.hpp"
#include "apps/nexmark_q6/seller_average.hpp"
#include "spb/detail/nexmark.hpp"

namespace spb {

void init_bench(int argc, char** argv) {
  detail::begin_nexmark(argc, argv, apps::nexmark_q6::about(),
                        detail::make_nexmark<apps::nexmark_q6::seller_average>);
}

}  // namespace spb
