// Threads, the queue of the parallel programs of SPBench 0.5, and an order that the program restores itself.
#include <map>
#include <thread>
#include <vector>

#include <bzip2.hpp>

#include "SPar_Shared_Queue.hpp"

struct data {
  spb::Item item;
  bool omp_spar_eos;
  int order_id;
};

template <class Source> void emitter(SParSharedQueue<struct data>* out) {
  int id = 0;
  while (1) {
    spb::Item item;
    if (!Source::op(item)) {
      out->NotifyEOS();
      break;
    }
    struct data* local = new struct data();
    local->omp_spar_eos = false;
    local->item = item;
    local->order_id = id++;
    out->Add(local);
  }
}

template <class Operator> void worker(SParSharedQueue<struct data>* in, SParSharedQueue<struct data>* out) {
  while (1) {
    struct data* local = in->Remove();
    if (local->omp_spar_eos) {
      out->NotifyEOS();
      break;
    }
    Operator::op(local->item);
    out->Add(local);
  }
}

template <class Sink> void collector(SParSharedQueue<struct data>* in) {
  int due = 0;
  std::map<int, struct data*> early;
  while (1) {
    struct data* local = in->Remove();
    if (local->omp_spar_eos) break;
    early[local->order_id] = local;
    for (auto next = early.begin(); next != early.end() && next->first == due;
         next = early.erase(next), due++) {
      Sink::op(next->second->item);
      delete next->second;
    }
  }
}

template <class Source, class Operator, class Sink> void run() {
  spb::Metrics::init();
  SParSharedQueue<struct data> queue1(spb::nthreads, 1);
  SParSharedQueue<struct data> queue2(spb::nthreads, spb::nthreads);
  std::vector<std::thread> threads;
  threads.push_back(std::thread(emitter<Source>, &queue1));
  for (int i = 0; i < spb::nthreads; i++) threads.push_back(std::thread(worker<Operator>, &queue1, &queue2));
  threads.push_back(std::thread(collector<Sink>, &queue2));
  for (auto& t : threads) t.join();
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
  return 0;
}
