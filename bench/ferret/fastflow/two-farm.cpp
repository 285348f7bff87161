#include <memory>
#include <utility>
#include <vector>

#include <ferret.hpp>
#include <ff/ff.hpp>

#include "bench/support/fastflow_nodes.hpp"
#include "bench/support/two_farms.hpp"

using source = source_node<spb::Source, spb::Item>;

struct sink : ff::ff_minode_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    const std::unique_ptr<spb::Item> owner(item);
    spb::Sink::op(*item);
    return GO_ON;
  }
};

template <class... Operators> struct stage : ff::ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    (Operators::op(*item), ...);
    return item;
  }
};

// A farm without collector: its workers send straight to the next stage.
template <class... Operators> std::unique_ptr<ff::ff_farm> farm_of(int workers) {
  auto farm = std::make_unique<ff::ff_farm>();
  std::vector<ff::ff_node*> all;
  for (int i = 0; i < workers; ++i) all.push_back(new stage<Operators...>);  // FastFlow's own way: the farm
  farm->add_workers(all);
  farm->cleanup_workers();  // deletes them
  farm->set_scheduling_ondemand();
  return farm;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  const two_farms workers;
  spb::Metrics::init();
  source first;
  sink last;
  ff::ff_pipeline pipe;
  const auto describe = farm_of<spb::Segmentation, spb::Extract, spb::Vectorization>(workers.first);
  const auto rank = farm_of<spb::Rank>(workers.second);
  describe->add_emitter(&first);
  pipe.add_stage(describe.get());
  pipe.add_stage(rank.get());
  pipe.add_stage(&last);
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
  spb::Metrics::stop();
  spb::end_bench();
}
