#include <ff/ff.hpp>
#include <person_recognition.hpp>

#include "bench/support/fastflow_all_to_all.hpp"
#include "bench/support/fastflow_nodes.hpp"

using source = spreading_source_node<spb::Source, spb::Item>;
using sink = ordering_sink_node<spb::Sink, spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  source first;
  sink last;
  const auto recognition = all_to_all_of<spb::Detect, spb::Recognize, spb::Item>(spb::nthreads);
  ff::ff_pipeline pipe;
  pipe.add_stage(&first);
  pipe.add_stage(recognition.get());
  pipe.add_stage(&last);
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
  spb::Metrics::stop();
  spb::end_bench();
}
