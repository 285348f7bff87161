#include <memory>
#include <utility>
#include <vector>

#include <ff/ff.hpp>
#include <lane_detection.hpp>

#include "bench/support/fastflow_nodes.hpp"

using source = source_node<spb::Source, spb::Item>;
using sink = ordering_sink_node<spb::Sink, spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  source first;
  sink last;
  ff::ff_pipeline pipe;
  const auto segment = farm_of<spb::Segment, spb::Item>(spb::nthreads);
  const auto canny1 = farm_of<spb::Canny1, spb::Item>(spb::nthreads);
  const auto hough_t = farm_of<spb::HoughT, spb::Item>(spb::nthreads);
  const auto hough_p = farm_of<spb::HoughP, spb::Item>(spb::nthreads);
  const auto bitwise = farm_of<spb::Bitwise, spb::Item>(spb::nthreads);
  const auto canny2 = farm_of<spb::Canny2, spb::Item>(spb::nthreads);
  const auto overlap = farm_of<spb::Overlap, spb::Item>(spb::nthreads);
  segment->add_emitter(&first);
  for (auto* const farm : {segment.get(), canny1.get(), hough_t.get(), hough_p.get(), bitwise.get(),
                           canny2.get(), overlap.get()})
    pipe.add_stage(farm);
  pipe.add_stage(&last);
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
  spb::Metrics::stop();
  spb::end_bench();
}
