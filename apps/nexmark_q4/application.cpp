#include "apps/nexmark/application.hpp"

#include "apps/nexmark_q4/nexmark_q4.hpp"

namespace apps::nexmark_q4 {

const application& about() {
  static const application made = nexmark::query_application(
      "nexmark_q4", "Nexmark's query 4: what the auctions of each category went for", "average_price",
      expected);
  return made;
}

}  // namespace apps::nexmark_q4
