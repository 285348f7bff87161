#include "apps/word_count/inputs.hpp"
#include "apps/word_count/operator_names.hpp"
#include "apps/word_count/word_count.hpp"

namespace apps::word_count {

const application& about() {
  static const application word_count = [] {
    application made;
    made.name = "word_count";
    made.says = "counts how often each word of a text comes";
    made.output = "the list of words";
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return word_count;
}

}  // namespace apps::word_count
