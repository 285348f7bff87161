#include "apps/nexmark/application.hpp"

#include "apps/nexmark_q3/nexmark_q3.hpp"
#include "apps/nexmark_q3/operator_names.hpp"

namespace apps::nexmark_q3 {

const application& about() {
  static const application made =
      nexmark::query_application("nexmark_q3", "Nexmark's query 3: who sells in some states, and what",
                                 operator_names().front(), expected);
  return made;
}

}  // namespace apps::nexmark_q3
