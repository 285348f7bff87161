#include "apps/nexmark/application.hpp"

#include "apps/nexmark_q8/nexmark_q8.hpp"
#include "apps/nexmark_q8/operator_names.hpp"

namespace apps::nexmark_q8 {

const application& about() {
  static const application made = nexmark::query_application(
      "nexmark_q8", "Nexmark's query 8: who registers and opens an auction in the same 10 s",
      operator_names().front(), expected);
  return made;
}

}  // namespace apps::nexmark_q8
