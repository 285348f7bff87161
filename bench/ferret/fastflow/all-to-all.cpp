#include <memory>

#include <ferret.hpp>
#include <ff/ff.hpp>

#include "bench/support/fastflow_all_to_all.hpp"

using source = spreading_source_node<spb::Source, spb::Item>;

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
  const auto describe = all_to_all_of<spb::Segmentation, spb::Extract, spb::Item>(spb::nthreads);
  const auto search = all_to_all_of<spb::Vectorization, spb::Rank, spb::Item>(spb::nthreads);
  ff::ff_pipeline pipe;
  pipe.add_stage(&first);
  pipe.add_stage(describe.get());
  pipe.add_stage(search.get());
  pipe.add_stage(&last);
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
  spb::Metrics::stop();
  spb::end_bench();
}
