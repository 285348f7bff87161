#include "apps/nexmark/application.hpp"

#include "apps/nexmark_q6/nexmark_q6.hpp"
#include "apps/nexmark_q6/operator_names.hpp"

namespace apps::nexmark_q6 {

const application& about() {
  static const application made = nexmark::query_application(
      "nexmark_q6", "Nexmark's query 6: what the last auctions of each seller went for",
      operator_names().front(), expected);
  return made;
}

}  // namespace apps::nexmark_q6
