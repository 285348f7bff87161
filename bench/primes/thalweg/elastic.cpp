#include <thalweg/thalweg.hpp>

#include <primes.hpp>

#include "bench/support/chunk.hpp"

namespace tw = thalweg;
using numbers = chunk<spb::Item>;

numbers test(numbers some) {
  some.apply<spb::Primality>();
  return some;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tw::run(tw::source(numbers::next<spb::Source>) |
              tw::farm(test, {.replicas = spb::nthreads, .unordered = true}) |
              tw::sink([](numbers some) { some.apply<spb::Sink>(); }),
          tw::threads{});
  spb::Metrics::stop();
  spb::end_bench();
}
