#include "apps/nexmark/application.hpp"

#include "apps/nexmark_q5/nexmark_q5.hpp"
#include "apps/nexmark_q5/operator_names.hpp"

namespace apps::nexmark_q5 {

const application& about() {
  static const application made = nexmark::query_application(
      "nexmark_q5", "Nexmark's query 5: the auctions with the most bids", operator_names().front(), expected);
  return made;
}

}  // namespace apps::nexmark_q5
