#include "apps/nexmark/application.hpp"

#include "apps/nexmark_q4/nexmark_q4.hpp"
#include "apps/nexmark_q4/operator_names.hpp"

namespace apps::nexmark_q4 {

const application& about() {
  static const application made = nexmark::query_application(
      "nexmark_q4", "Nexmark's query 4: what the auctions of each category went for",
      operator_names().front(), expected);
  return made;
}

}  // namespace apps::nexmark_q4
