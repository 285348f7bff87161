#include "apps/nexmark/application.hpp"

#include "apps/nexmark_q2/nexmark_q2.hpp"
#include "apps/nexmark_q2/operator_names.hpp"

namespace apps::nexmark_q2 {

const application& about() {
  static const application made = nexmark::query_application(
      "nexmark_q2", "Nexmark's query 2: the bids for some auctions", operator_names().front(), expected);
  return made;
}

}  // namespace apps::nexmark_q2
