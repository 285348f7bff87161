#include "apps/hash_search/hash_search.hpp"
#include "apps/hash_search/inputs.hpp"
#include "apps/hash_search/operator_names.hpp"

namespace apps::hash_search {

const application& about() {
  static const application hash_search = [] {
    application made;
    made.name = "hash_search";
    made.says = "finds the numbers that hashes are of, by brute force";
    made.output = "the list of numbers";
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return hash_search;
}

}  // namespace apps::hash_search
