#include "apps/nexmark/application.hpp"

#include "apps/nexmark_q1/nexmark_q1.hpp"
#include "apps/nexmark_q1/operator_names.hpp"

namespace apps::nexmark_q1 {

const application& about() {
  static const application made = nexmark::query_application(
      "nexmark_q1", "Nexmark's query 1: each bid, its price in euros", operator_names().front(), expected);
  return made;
}

}  // namespace apps::nexmark_q1
