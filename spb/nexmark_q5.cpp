#include "spb/nexmark_q5.hpp"

#include "apps/nexmark_q5/hot_items.hpp"
#include "apps/nexmark_q5/nexmark_q5.hpp"
#include "spb/detail/nexmark.hpp"

namespace spb {

void init_bench(int argc, char** argv) {
  detail::begin_nexmark(argc, argv, apps::nexmark_q5::about(),
                        detail::make_nexmark<apps::nexmark_q5::hot_items>);
}

}  // namespace spb
