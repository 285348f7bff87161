#include "spb/nexmark_q8.hpp"

#include "apps/nexmark_q8/new_sellers.hpp"
#include "apps/nexmark_q8/nexmark_q8.hpp"
#include "spb/detail/nexmark.hpp"

namespace spb {

void init_bench(int argc, char** argv) {
  detail::begin_nexmark(argc, argv, apps::nexmark_q8::about(),
                        detail::make_nexmark<apps::nexmark_q8::new_sellers>);
}

}  // namespace spb
