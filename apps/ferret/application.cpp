#include "apps/ferret/ferret.hpp"
#include "apps/ferret/inputs.hpp"
#include "apps/ferret/operator_names.hpp"

namespace apps::ferret {

const application& about() {
  static const application ferret = [] {
    application made;
    made.name = "ferret";
    made.says = "searches pictures by what they show";
    made.output = "the list of pictures that are alike";
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return ferret;
}

}  // namespace apps::ferret
