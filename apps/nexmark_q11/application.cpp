#include "apps/nexmark/application.hpp"

#include "apps/nexmark_q11/nexmark_q11.hpp"
#include "apps/nexmark_q11/operator_names.hpp"

namespace apps::nexmark_q11 {

const application& about() {
  static const application made = nexmark::query_application(
      "nexmark_q11", "Nexmark's query 11: how much each bidder bids while he is active",
      operator_names().front(), expected);
  return made;
}

}  // namespace apps::nexmark_q11
