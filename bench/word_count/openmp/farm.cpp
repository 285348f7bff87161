#include <cstddef>
#include <vector>

#include <word_count.hpp>

#include "bench/support/words_by_part.hpp"

struct passage_slot {
  spb::Item item;
  std::vector<spb::Item> parts;
};

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  std::vector<spb::Counts> counts(threads);
  std::vector<passage_slot> slots(2 * threads);  // bounds what is under way
  auto* const slot = slots.data();
  auto* const state = counts.data();
#pragma omp parallel num_threads(spb::nthreads)
#pragma omp single
  for (std::size_t i = 0;; i = (i + 1) % slots.size()) {
#pragma omp taskwait depend(inout : slot[i])
    if (!spb::Source::op(slot[i].item)) break;
#pragma omp task firstprivate(i) depend(inout : slot[i])
    slot[i].parts = words_by_part(slot[i].item, threads);
    // A task for each part of the words: those of a part take turns.
    for (std::size_t part = 0; part < threads; ++part) {
#pragma omp task firstprivate(i, part) depend(in : slot[i]) depend(inout : state[part])
      spb::Count::op(slot[i].parts[part], state[part]);
    }
  }
  for (auto& part : counts) spb::Sink::op(part);
  spb::Metrics::stop();
  spb::end_bench();
}
