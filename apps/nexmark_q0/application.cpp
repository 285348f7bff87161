#include "apps/nexmark/application.hpp"

#include "apps/nexmark_q0/nexmark_q0.hpp"
#include "apps/nexmark_q0/operator_names.hpp"

namespace apps::nexmark_q0 {

const application& about() {
  static const application made = nexmark::query_application("nexmark_q0", "Nexmark's query 0: each bid",
                                                             operator_names().front(), expected);
  return made;
}

}  // namespace apps::nexmark_q0
