#include <ff/ff.hpp>
#include <lane_detection.hpp>

#include "bench/support/fastflow_all_to_all.hpp"
#include "bench/support/fastflow_nodes.hpp"

using sink = ordering_sink_node<spb::Sink, spb::Item>;

// The last of seven operators has the sink for its other side.
int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  run_all_to_all<spb::Source, spb::Item>(
      all_to_all_of<spb::Segment, spb::Canny1, spb::Item>(spb::nthreads),
      all_to_all_of<spb::HoughT, spb::HoughP, spb::Item>(spb::nthreads),
      all_to_all_of<spb::Bitwise, spb::Canny2, spb::Item>(spb::nthreads),
      all_to_all_of(spreading_workers<spb::Overlap, spb::Item>(spb::nthreads), {new sink}));
  spb::Metrics::stop();
  spb::end_bench();
}
