// Tasks that are threads, and queues between them.
#include <ferret.hpp>
#include <omp.h>

void emitter(SharedQueue<spb::Item>& out) {
  while (1) {
    spb::Item item;
    if (!spb::Source::op(item)) break;
    out.enqueue(item);
  }
  out.close();
}

void worker(SharedQueue<spb::Item>& in, SharedQueue<spb::Item>& out) {
  spb::Item item;
  while (in.dequeue(item)) {
    spb::Segmentation::op(item);
    spb::Extract::op(item);
    spb::Vectorization::op(item);
    spb::Rank::op(item);
    out.enqueue(item);
  }
  out.close();
}

void collector(SharedQueue<spb::Item>& in) {
  spb::Item item;
  while (in.dequeue(item)) spb::Sink::op(item);
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  SharedQueue<spb::Item> queueA(spb::nthreads);
  SharedQueue<spb::Item> queueB(spb::nthreads, spb::nthreads);
  omp_set_num_threads(spb::nthreads + 2);
#pragma omp parallel shared(queueA, queueB)
#pragma omp single nowait
#pragma omp taskgroup
  {
#pragma omp task
    emitter(queueA);
    for (int i = 0; i < spb::nthreads; i++) {
#pragma omp task
      worker(queueA, queueB);
    }
#pragma omp task
    collector(queueB);
  }
  spb::Metrics::stop();
  spb::end_bench();
  return 0;
}
