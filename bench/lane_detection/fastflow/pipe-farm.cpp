#include <memory>
#include <utility>
#include <vector>

#include <ff/ff.hpp>
#include <lane_detection.hpp>

#include "bench/support/in_order.hpp"

struct source : ff::ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item*) override {
    auto item = std::make_unique<spb::Item>();
    return spb::Source::op(*item) ? item.release() : EOS;
  }
};

// Farms without a gatherer of their own give items as they are done.
struct sink : ff::ff_minode_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    early.put(std::unique_ptr<spb::Item>(item));
    while (const auto due = early.next()) spb::Sink::op(*due);
    return GO_ON;
  }
  in_order<spb::Item> early;
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
  const auto segment = farm_of<spb::Segment>(spb::nthreads);
  const auto canny1 = farm_of<spb::Canny1>(spb::nthreads);
  const auto hough_t = farm_of<spb::HoughT>(spb::nthreads);
  const auto hough_p = farm_of<spb::HoughP>(spb::nthreads);
  const auto bitwise = farm_of<spb::Bitwise>(spb::nthreads);
  const auto canny2 = farm_of<spb::Canny2>(spb::nthreads);
  const auto overlap = farm_of<spb::Overlap>(spb::nthreads);
  segment->add_emitter(&first);
  for (auto* const farm : {segment.get(), canny1.get(), hough_t.get(), hough_p.get(), bitwise.get(),
                           canny2.get(), overlap.get()})
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
