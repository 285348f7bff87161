#include <memory>

#include <ff/ff.hpp>
#include <lane_detection.hpp>

#include "bench/support/fastflow_nodes.hpp"

using source = source_node<spb::Source, spb::Item>;
using sink = sink_node<spb::Sink, spb::Item>;
template <class Operator> using stage = stage_node<Operator, spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  ff::ff_Pipe<> pipe(std::make_unique<source>(), std::make_unique<stage<spb::Segment>>(),
                     std::make_unique<stage<spb::Canny1>>(), std::make_unique<stage<spb::HoughT>>(),
                     std::make_unique<stage<spb::HoughP>>(), std::make_unique<stage<spb::Bitwise>>(),
                     std::make_unique<stage<spb::Canny2>>(), std::make_unique<stage<spb::Overlap>>(),
                     std::make_unique<sink>());
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
  spb::Metrics::stop();
  spb::end_bench();
}
