#include <cstddef>
#include <utility>
#include <vector>

#include <bzip2.hpp>

// A task works on an item, another writes it; dependences through a ring of slots keep order and bound what
// is under way.
template <class Source, class Work, class Sink> void run() {
  spb::Metrics::init();
  std::vector<spb::Item> slots(2 * static_cast<std::size_t>(spb::nthreads));
  auto* const slot = slots.data();
  [[maybe_unused]] char turn = 0;
#pragma omp parallel num_threads(spb::nthreads)
#pragma omp single
  for (std::size_t i = 0;; i = (i + 1) % slots.size()) {
#pragma omp taskwait depend(inout : slot[i])
    if (!Source::op(slot[i])) break;
#pragma omp task firstprivate(i) depend(inout : slot[i])
    Work::op(slot[i]);
#pragma omp task firstprivate(i) depend(inout : slot[i]) depend(inout : turn)
    Sink::op(slot[i]);
  }
  spb::Metrics::stop();
}

void compress() {
  run<spb::Source, spb::Compress, spb::Sink>();
}
void decompress() {
  run<spb::Source_d, spb::Decompress, spb::Sink_d>();
}

int main(int argc, char* argv[]) {
  spb::bzip2_main(argc, argv);
}
