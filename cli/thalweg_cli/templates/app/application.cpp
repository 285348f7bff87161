#include "apps/app_name/app_name.hpp"
#include "apps/app_name/inputs.hpp"
#include "apps/app_name/operator_names.hpp"

namespace apps::app_name {

const application& about() {
  static const application one = [] {
    application made;
    made.name = "app_name";
    made.says = "finds the longest Collatz sequence of each interval";
    made.output = "the list of the longest sequences";
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.edition = 1;  // raise it when `generate` comes to make other bytes
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return one;
}

}  // namespace apps::app_name
