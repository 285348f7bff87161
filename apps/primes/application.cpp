#include "apps/primes/inputs.hpp"
#include "apps/primes/operator_names.hpp"
#include "apps/primes/primes.hpp"

namespace apps::primes {

const application& about() {
  static const application primes = [] {
    application made;
    made.name = "primes";
    made.says = "finds prime numbers by trial division";
    made.output = "the list of primes";
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return primes;
}

}  // namespace apps::primes
