#include <memory>
#include <utility>
#include <vector>

#include <ferret.hpp>
#include <ff/ff.hpp>

#include "bench/support/fastflow_nodes.hpp"

using source = source_node<spb::Source, spb::Item>;
using sink = sink_node<spb::Sink, spb::Item>;
template <class Operator> using stage = stage_node<Operator, spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  std::vector<std::unique_ptr<ff::ff_node>> workers;
  for (int i = 0; i < spb::nthreads; ++i) {
    workers.push_back(std::make_unique<ff::ff_Pipe<spb::Item>>(
        std::make_unique<stage<spb::Segmentation>>(), std::make_unique<stage<spb::Extract>>(),
        std::make_unique<stage<spb::Vectorization>>(), std::make_unique<stage<spb::Rank>>()));
  }
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
