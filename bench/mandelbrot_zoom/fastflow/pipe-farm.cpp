#include <memory>
#include <utility>
#include <vector>

#include <ff/ff.hpp>
#include <mandelbrot_zoom.hpp>

#include "bench/support/fastflow_nodes.hpp"

using source = source_node<spb::Source, spb::Item>;
using sink = ordering_sink_node<spb::Sink, spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  source first;
  sink last;
  ff::ff_pipeline pipe;
  const auto mandelbrot = farm_of<spb::Mandelbrot, spb::Item>(spb::nthreads);
  const auto blur = farm_of<spb::Blur, spb::Item>(spb::nthreads);
  mandelbrot->add_emitter(&first);
  for (auto* const farm : {mandelbrot.get(), blur.get()}) pipe.add_stage(farm);
  pipe.add_stage(&last);
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
  spb::Metrics::stop();
  spb::end_bench();
}
