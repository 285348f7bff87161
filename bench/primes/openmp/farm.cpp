#include <cstddef>
#include <vector>

#include <primes.hpp>

#include "bench/support/chunk.hpp"

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  // They bound what is under way.
  std::vector<chunk<spb::Item>> slots(2 * static_cast<std::size_t>(spb::nthreads));
  auto* const slot = slots.data();
#pragma omp parallel num_threads(spb::nthreads)
#pragma omp single
  for (std::size_t i = 0;; i = (i + 1) % slots.size()) {
#pragma omp taskwait depend(inout : slot[i])
    if (!slot[i].take<spb::Source>()) break;
#pragma omp task firstprivate(i) depend(inout : slot[i])
    {
      slot[i].apply<spb::Primality>();
      slot[i].apply<spb::Sink>();
    }
  }
  spb::Metrics::stop();
  spb::end_bench();
}
