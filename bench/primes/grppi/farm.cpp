#include <optional>

#include <primes.hpp>

#include "bench/support/chunk.hpp"
#include "bench/support/grppi_back_end.hpp"

using numbers = chunk<spb::Item>;

std::optional<numbers> next() {
  numbers some;
  if (!some.take<spb::Source>()) return {};
  return some;
}

numbers test(numbers some) {
  some.apply<spb::Primality>();
  return some;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  auto execution = grppi_back_end();
  spb::Metrics::init();
  grppi::pipeline(execution, next, grppi::farm(spb::nthreads, test),
                  [](numbers some) { some.apply<spb::Sink>(); });
  spb::Metrics::stop();
  spb::end_bench();
}
