#include "apps/dedup/dedup.hpp"
#include "apps/dedup/inputs.hpp"
#include "apps/dedup/operator_names.hpp"

namespace apps::dedup {

const application& about() {
  static const application dedup = [] {
    application made;
    made.name = "dedup";
    made.says = "packs a file, what repeats in it only once";
    made.output = "the archive";
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.edition = 2;
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return dedup;
}

}  // namespace apps::dedup
