#include <cstddef>
#include <vector>

#include <mandelbrot_zoom.hpp>

// A task works on an item, another writes it; dependences through a ring of slots keep order and bound what
// is under way.
int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  std::vector<spb::Item> slots(2 * static_cast<std::size_t>(spb::nthreads));
  auto* const slot = slots.data();
  [[maybe_unused]] char turn = 0;
#pragma omp parallel num_threads(spb::nthreads)
#pragma omp single
  for (std::size_t i = 0;; i = (i + 1) % slots.size()) {
#pragma omp taskwait depend(inout : slot[i])
    if (!spb::Source::op(slot[i])) break;
#pragma omp task firstprivate(i) depend(inout : slot[i])
    {
      spb::Mandelbrot::op(slot[i]);
      spb::Blur::op(slot[i]);
    }
#pragma omp task firstprivate(i) depend(inout : slot[i]) depend(inout : turn)
    spb::Sink::op(slot[i]);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
