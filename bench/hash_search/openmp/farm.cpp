#include <cstddef>
#include <vector>

#include <hash_search.hpp>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  std::vector<spb::Item> slots(2 * static_cast<std::size_t>(spb::nthreads));  // bounds what is under way
  auto* const slot = slots.data();
#pragma omp parallel num_threads(spb::nthreads)
#pragma omp single
  for (std::size_t i = 0;; i = (i + 1) % slots.size()) {
#pragma omp taskwait depend(inout : slot[i])
    if (!spb::Source::op(slot[i])) break;
#pragma omp task firstprivate(i) depend(inout : slot[i])
    {
      spb::Search::op(slot[i]);
      spb::Sink::op(slot[i]);
    }
  }
  spb::Metrics::stop();
  spb::end_bench();
}
