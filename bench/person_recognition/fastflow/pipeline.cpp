#include <memory>

#include <ff/ff.hpp>
#include <person_recognition.hpp>

#include "bench/support/fastflow_nodes.hpp"

using source = source_node<spb::Source, spb::Item>;
using sink = sink_node<spb::Sink, spb::Item>;
template <class Operator> using stage = stage_node<Operator, spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  ff::ff_Pipe<> pipe(std::make_unique<source>(), std::make_unique<stage<spb::Detect>>(),
                     std::make_unique<stage<spb::Recognize>>(), std::make_unique<sink>());
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
  spb::Metrics::stop();
  spb::end_bench();
}
