#include <primes.hpp>

#include "bench/support/chunk.hpp"
#include "bench/support/grppi_back_end.hpp"
#include "bench/support/grppi_over_threads.hpp"

using numbers = chunk<spb::Item>;

numbers test(numbers some) {
  some.apply<spb::Primality>();
  return some;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  auto execution = grppi_back_end_or(grppi_over_threads());
  spb::Metrics::init();
  grppi::pipeline(execution, numbers::next<spb::Source>, grppi::farm(spb::nthreads, test),
                  [](numbers some) { some.apply<spb::Sink>(); });
  spb::Metrics::stop();
  spb::end_bench();
}
