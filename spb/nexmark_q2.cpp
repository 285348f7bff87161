#include "spb/nexmark_q2.hpp"

#include "apps/nexmark_q2/nexmark_q2.hpp"
#include "apps/nexmark_q2/select.hpp"
#include "spb/detail/nexmark.hpp"

namespace spb {

void init_bench(int argc, char** argv) {
  detail::begin_nexmark(argc, argv, apps::nexmark_q2::about(), nullptr);
}

void Select::op(Item& item) {
  detail::keep_bids(item, apps::nexmark_q2::select);
}

}  // namespace spb
