#include <cstddef>
#include <vector>

#include <mandelbrot.hpp>
#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  std::vector<spb::Item> items(2 * threads);
  tf::Pipeline pipeline(
      items.size(),
      tf::Pipe{tf::PipeType::SERIAL,
               [&](tf::Pipeflow& flow) {
                 if (!spb::Source::op(items[flow.line()])) flow.stop();
               }},
      tf::Pipe{tf::PipeType::PARALLEL,
               [&](tf::Pipeflow& flow) {
                 auto& item = items[flow.line()];
                 spb::Mandelbrot::op(item);
               }},
      tf::Pipe{tf::PipeType::SERIAL, [&](tf::Pipeflow& flow) { spb::Sink::op(items[flow.line()]); }});
  tf::Taskflow flow;
  flow.composed_of(pipeline);
  tf::Executor executor(threads);
  executor.run(flow).wait();
  spb::Metrics::stop();
  spb::end_bench();
}
