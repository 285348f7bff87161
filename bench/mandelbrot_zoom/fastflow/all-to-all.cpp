#include <ff/ff.hpp>
#include <mandelbrot_zoom.hpp>

#include "bench/support/fastflow_all_to_all.hpp"
#include "bench/support/fastflow_nodes.hpp"

using source = spreading_source_node<spb::Source, spb::Item>;
using sink = ordering_sink_node<spb::Sink, spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  source first;
  sink last;
  const auto film = all_to_all_of<spb::Mandelbrot, spb::Blur, spb::Item>(spb::nthreads);
  ff::ff_pipeline pipe;
  pipe.add_stage(&first);
  pipe.add_stage(film.get());
  pipe.add_stage(&last);
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
  spb::Metrics::stop();
  spb::end_bench();
}
