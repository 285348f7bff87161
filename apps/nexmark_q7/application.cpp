#include "apps/nexmark/application.hpp"

#include "apps/nexmark_q7/nexmark_q7.hpp"
#include "apps/nexmark_q7/operator_names.hpp"

namespace apps::nexmark_q7 {

const application& about() {
  static const application made = nexmark::query_application(
      "nexmark_q7", "Nexmark's query 7: the highest bids of each 10 s", operator_names().front(), expected);
  return made;
}

}  // namespace apps::nexmark_q7
