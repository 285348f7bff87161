#include "apps/xml_transform/inputs.hpp"
#include "apps/xml_transform/operator_names.hpp"
#include "apps/xml_transform/xml_transform.hpp"

namespace apps::xml_transform {

const application& about() {
  static const application xml_transform = [] {
    application made;
    made.name = "xml_transform";
    made.says = "turns XML documents into pages by an XSLT style sheet";
    made.output = "the archive of pages";
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return xml_transform;
}

}  // namespace apps::xml_transform
