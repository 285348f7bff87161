#include "spb/nexmark_q11.hpp"

#include "apps/nexmark_q11/nexmark_q11.hpp"
#include "apps/nexmark_q11/user_sessions.hpp"
#include "spb/detail/nexmark.hpp"

namespace spb {

void init_bench(int argc, char** argv) {
  detail::begin_nexmark(argc, argv, apps::nexmark_q11::about(),
                        detail::make_nexmark<apps::nexmark_q11::user_sessions>);
}

}  // namespace spb
