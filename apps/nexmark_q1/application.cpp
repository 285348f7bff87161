#include "apps/nexmark/application.hpp"

#include "apps/nexmark_q1/nexmark_q1.hpp"

namespace apps::nexmark_q1 {

const application& about() {
  static const application made = nexmark::query_application(
      "nexmark_q1", "Nexmark's query 1: each bid, its price in euros", "convert", expected);
  return made;
}

}  // namespace apps::nexmark_q1
