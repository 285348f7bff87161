#include <memory>

#include <ferret.hpp>
#include <ff/ff.hpp>

#include "bench/support/fastflow_all_to_all.hpp"

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
  run_all_to_all<spb::Source, spb::Item>(
      all_to_all_of<spb::Segmentation, spb::Extract, spb::Item>(spb::nthreads),
      all_to_all_of<spb::Vectorization, spb::Rank, spb::Item>(spb::nthreads), std::make_unique<sink>());
  spb::Metrics::stop();
  spb::end_bench();
}
