#include "apps/person_recognition/inputs.hpp"
#include "apps/person_recognition/operator_names.hpp"
#include "apps/person_recognition/person_recognition.hpp"

namespace apps::person_recognition {

const application& about() {
  static const application person_recognition = [] {
    application made;
    made.name = "person_recognition";
    made.says = "finds one person's face in a film";
    made.output = "the film with the circles";
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return person_recognition;
}

}  // namespace apps::person_recognition
