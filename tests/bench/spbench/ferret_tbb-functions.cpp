// Filters of the TBB before oneTBB that are functions, from its header of everything.
#include <ferret.hpp>
#include <tbb/tbb.h>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tbb::task_scheduler_init threads(spb::nthreads);
  tbb::filter_t<void, spb::Item*> source = tbb::make_filter<void, spb::Item*>(
      tbb::filter::serial_out_of_order, [](tbb::flow_control& control) -> spb::Item* {
        spb::Item* item = new spb::Item();
        if (spb::Source::op(*item)) return item;
        delete item;
        control.stop();
        return NULL;
      });
  tbb::filter_t<spb::Item*, spb::Item*> search =
      tbb::make_filter<spb::Item*, spb::Item*>(tbb::filter::parallel, [](spb::Item* item) {
        spb::Segmentation::op(*item);
        spb::Extract::op(*item);
        spb::Vectorization::op(*item);
        spb::Rank::op(*item);
        return item;
      });
  tbb::filter_t<spb::Item*, void> sink =
      tbb::make_filter<spb::Item*, void>(tbb::filter::serial_out_of_order, [](spb::Item* item) {
        spb::Sink::op(*item);
        delete item;
      });
  tbb::parallel_pipeline(spb::nthreads * 10, source & search & sink);
  spb::Metrics::stop();
  spb::end_bench();
  return 0;
}
