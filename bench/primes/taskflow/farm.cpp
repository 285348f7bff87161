#include <cstddef>
#include <vector>

#include <primes.hpp>
#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>

#include "bench/support/chunk.hpp"

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  std::vector<chunk<spb::Item>> chunks(2 * threads);
  tf::Pipeline pipeline(
      chunks.size(),
      tf::Pipe{tf::PipeType::SERIAL,
               [&](tf::Pipeflow& flow) {
                 if (!chunks[flow.line()].take<spb::Source>()) flow.stop();
               }},
      tf::Pipe{tf::PipeType::PARALLEL,
               [&](tf::Pipeflow& flow) { chunks[flow.line()].apply<spb::Primality>(); }},
      tf::Pipe{tf::PipeType::SERIAL, [&](tf::Pipeflow& flow) { chunks[flow.line()].apply<spb::Sink>(); }});
  tf::Taskflow flow;
  flow.composed_of(pipeline);
  tf::Executor executor(threads);
  executor.run(flow).wait();
  spb::Metrics::stop();
  spb::end_bench();
}
