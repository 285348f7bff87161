#include "spb/nexmark_q1.hpp"

#include "apps/nexmark_q1/convert.hpp"
#include "apps/nexmark_q1/nexmark_q1.hpp"
#include "spb/detail/nexmark.hpp"

namespace spb {

void init_bench(int argc, char** argv) {
  detail::begin_nexmark(argc, argv, apps::nexmark_q1::about(), nullptr);
}

void Convert::op(Item& item) {
  detail::keep_bids(item, apps::nexmark_q1::convert);
}

}  // namespace spb
