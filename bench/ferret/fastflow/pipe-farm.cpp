#include <memory>
#include <utility>
#include <vector>

#include <ferret.hpp>
#include <ff/ff.hpp>

#include "bench/support/fastflow_nodes.hpp"

using source = source_node<spb::Source, spb::Item>;

struct sink : ff::ff_minode_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    const std::unique_ptr<spb::Item> owner(item);
    spb::Sink::op(*item);
    return GO_ON;
  }
};

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  source first;
  sink last;
  ff::ff_pipeline pipe;
  const auto segmentation = farm_of<spb::Segmentation, spb::Item>(spb::nthreads);
  const auto extract = farm_of<spb::Extract, spb::Item>(spb::nthreads);
  const auto vectorization = farm_of<spb::Vectorization, spb::Item>(spb::nthreads);
  const auto rank = farm_of<spb::Rank, spb::Item>(spb::nthreads);
  segmentation->add_emitter(&first);
  for (auto* const farm : {segmentation.get(), extract.get(), vectorization.get(), rank.get()})
    pipe.add_stage(farm);
  pipe.add_stage(&last);
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
  spb::Metrics::stop();
  spb::end_bench();
}
