#include <memory>
#include <utility>
#include <vector>

#include <ff/ff.hpp>
#include <lane_detection.hpp>

#include "bench/support/fastflow_nodes.hpp"

using source = source_node<spb::Source, spb::Item>;

// FastFlow keeps the order of farms of plain nodes only.
struct sink : ff::ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    early.put(std::unique_ptr<spb::Item>(item));
    while (const auto due = early.next()) spb::Sink::op(*due);
    return GO_ON;
  }
  in_order<spb::Item> early;
};

template <class Operator> using stage = stage_node<Operator, spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  std::vector<std::unique_ptr<ff::ff_node>> workers;
  for (int i = 0; i < spb::nthreads; ++i) {
    workers.push_back(std::make_unique<ff::ff_Pipe<spb::Item>>(
        std::make_unique<stage<spb::Segment>>(), std::make_unique<stage<spb::Canny1>>(),
        std::make_unique<stage<spb::HoughT>>(), std::make_unique<stage<spb::HoughP>>(),
        std::make_unique<stage<spb::Bitwise>>(), std::make_unique<stage<spb::Canny2>>(),
        std::make_unique<stage<spb::Overlap>>()));
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
