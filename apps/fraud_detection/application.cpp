#include "apps/fraud_detection/fraud_detection.hpp"
#include "apps/fraud_detection/inputs.hpp"
#include "apps/fraud_detection/operator_names.hpp"

namespace apps::fraud_detection {

const application& about() {
  static const application fraud_detection = [] {
    application made;
    made.name = "fraud_detection";
    made.says = "Suspicious uses of cards, by a Markov chain over the last ones of each";
    made.output = "the list of alarms";
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return fraud_detection;
}

}  // namespace apps::fraud_detection
