#include "apps/video_filter/inputs.hpp"
#include "apps/video_filter/operator_names.hpp"
#include "apps/video_filter/video_filter.hpp"

namespace apps::video_filter {

const application& about() {
  static const application video_filter = [] {
    application made;
    made.name = "video_filter";
    made.says = "blurs pictures, finds their edges, and makes a film of them";
    made.output = "the film of edges";
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return video_filter;
}

}  // namespace apps::video_filter
