#include "spb/nexmark_q3.hpp"

#include "apps/nexmark_q3/local_items.hpp"
#include "apps/nexmark_q3/nexmark_q3.hpp"
#include "spb/detail/nexmark.hpp"

namespace spb {

void init_bench(int argc, char** argv) {
  detail::begin_nexmark(argc, argv, apps::nexmark_q3::about(),
                        detail::make_nexmark<apps::nexmark_q3::local_items>);
}

}  // namespace spb
