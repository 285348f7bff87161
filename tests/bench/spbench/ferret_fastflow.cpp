// A farm whose nodes pass items by pointer.
#include <ferret.hpp>
#include <ff/ff.hpp>
using namespace ff;

struct Emitter : ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item*) {
    while (1) {
      spb::Item* item = new spb::Item();
      if (!spb::Source::op(*item)) {
        delete item;
        break;
      }
      ff_send_out(item);
    }
    return EOS;
  }
} E;

struct Worker : ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item* item) {
    spb::Segmentation::op(*item);
    spb::Extract::op(*item);
    spb::Vectorization::op(*item);
    spb::Rank::op(*item);
    return item;
  }
};

struct Collector : ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item* item) {
    spb::Sink::op(*item);
    delete item;
    return GO_ON;
  }
} C;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  std::vector<std::unique_ptr<ff_node>> workers;
  for (int i = 0; i < spb::nthreads; i++) workers.push_back(ff::make_unique<Worker>());
  ff_OFarm<spb::Item> farm(std::move(workers));
  farm.add_emitter(E);
  farm.add_collector(C);
  if (farm.run_and_wait_end() < 0) std::cout << "error running farm";
  spb::Metrics::stop();
  spb::end_bench();
  return 0;
}
