#include <memory>
#include <utility>
#include <vector>

#include <ferret.hpp>
#include <ff/ff.hpp>

struct source : ff::ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item*) override {
    auto item = std::make_unique<spb::Item>();
    return spb::Source::op(*item) ? item.release() : EOS;
  }
};

struct sink : ff::ff_minode_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    const std::unique_ptr<spb::Item> owner(item);
    spb::Sink::op(*item);
    return GO_ON;
  }
};

template <class Operator> struct stage : ff::ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    Operator::op(*item);
    return item;
  }
};

// A farm without collector: its workers send straight to the next stage.
template <class Operator> std::unique_ptr<ff::ff_farm> farm_of(int workers) {
  auto farm = std::make_unique<ff::ff_farm>();
  std::vector<ff::ff_node*> all;
  for (int i = 0; i < workers; ++i) all.push_back(new stage<Operator>);  // FastFlow's own way: the farm
  farm->add_workers(all);
  farm->cleanup_workers();  // deletes them
  farm->set_scheduling_ondemand();
  return farm;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  source first;
  sink last;
  ff::ff_pipeline pipe;
  const auto segmentation = farm_of<spb::Segmentation>(spb::nthreads);
  const auto extract = farm_of<spb::Extract>(spb::nthreads);
  const auto vectorization = farm_of<spb::Vectorization>(spb::nthreads);
  const auto rank = farm_of<spb::Rank>(spb::nthreads);
  segmentation->add_emitter(&first);
  for (auto* const farm : {segmentation.get(), extract.get(), vectorization.get(), rank.get()})
    pipe.add_stage(farm);
  pipe.add_stage(&last);
  pipe.setXNodeInputQueueLength(1, true);
  pipe.setXNodeOutputQueueLength(1, true);
  pipe.blocking_mode(true);
  pipe.no_mapping();
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
  spb::Metrics::stop();
  spb::end_bench();
}
