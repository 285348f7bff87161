#include "apps/lane_detection/inputs.hpp"
#include "apps/lane_detection/lane_detection.hpp"
#include "apps/lane_detection/operator_names.hpp"

namespace apps::lane_detection {

const application& about() {
  static const application lane_detection = [] {
    application made;
    made.name = "lane_detection";
    made.says = "finds the marks of a car's lane in a film";
    made.output = "the film with the marks";
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return lane_detection;
}

}  // namespace apps::lane_detection
