#include <memory>
#include <utility>
#include <vector>

#include <ff/ff.hpp>
#include <person_recognition.hpp>

#include "bench/support/fastflow_nodes.hpp"

using source = source_node<spb::Source, spb::Item>;
using sink = ordering_sink_node<spb::Sink, spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  source first;
  sink last;
  ff::ff_pipeline pipe;
  const auto detect = farm_of<spb::Detect, spb::Item>(spb::nthreads);
  const auto recognize = farm_of<spb::Recognize, spb::Item>(spb::nthreads);
  detect->add_emitter(&first);
  for (auto* const farm : {detect.get(), recognize.get()}) pipe.add_stage(farm);
  pipe.add_stage(&last);
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
  spb::Metrics::stop();
  spb::end_bench();
}
