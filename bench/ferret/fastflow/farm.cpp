#include <memory>
#include <utility>
#include <vector>

#include <ferret.hpp>
#include <ff/ff.hpp>

#include "bench/support/fastflow_nodes.hpp"

using source = source_node<spb::Source, spb::Item>;
using sink = sink_node<spb::Sink, spb::Item>;

struct worker : ff::ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    spb::Segmentation::op(*item);
    spb::Extract::op(*item);
    spb::Vectorization::op(*item);
    spb::Rank::op(*item);
    return item;
  }
};

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  std::vector<std::unique_ptr<ff::ff_node>> workers;
  for (int i = 0; i < spb::nthreads; ++i) workers.push_back(std::make_unique<worker>());
  ff::ff_Farm<spb::Item> farm(std::move(workers));
  source first;
  sink last;
  farm.add_emitter(first);
  farm.add_collector(last);
  farm.set_scheduling_ondemand();
  if (farm.run_and_wait_end() < 0) ff::error("running the farm\n");
  spb::Metrics::stop();
  spb::end_bench();
}
