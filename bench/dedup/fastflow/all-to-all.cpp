#include <memory>

#include <dedup.hpp>
#include <ff/ff.hpp>

#include "bench/support/fastflow_all_to_all.hpp"
#include "bench/support/fastflow_nodes.hpp"

struct ordering_node : ff::ff_minode_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    early.put(std::unique_ptr<spb::Item>(item));
    while (auto due = early.next()) ff_send_out(due.release());
    return GO_ON;
  }
  in_order<spb::Item> early;
};

using look_up = spreading_node<spb::Deduplicate, spb::Item>;
using sink = ordering_sink_node<spb::Sink, spb::Item>;

// What has come before is looked up in order, by one: nothing is compressed twice.
int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  run_all_to_all<spb::Source, spb::Item>(
      all_to_all_of(spreading_workers<spb::Refine, spb::Item>(spb::nthreads),
                    {new ff::ff_comb(new ordering_node, new look_up, true, true)}),
      all_to_all_of(spreading_workers<spb::Compress, spb::Item>(spb::nthreads), {new sink}));
  spb::Metrics::stop();
  spb::end_bench();
}
