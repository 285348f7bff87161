#include "apps/nexmark/application.hpp"

#include "apps/nexmark_q2/nexmark_q2.hpp"

namespace apps::nexmark_q2 {

const application& about() {
  static const application made = nexmark::query_application(
      "nexmark_q2", "Nexmark's query 2: the bids for some auctions", "select", expected);
  return made;
}

}  // namespace apps::nexmark_q2
