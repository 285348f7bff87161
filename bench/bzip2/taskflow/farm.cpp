#include <cstddef>
#include <vector>

#include <bzip2.hpp>
#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>

template <class Source, class Work, class Sink> void run() {
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  std::vector<spb::Item> items(2 * threads);
  tf::Pipeline pipeline(
      items.size(),
      tf::Pipe{tf::PipeType::SERIAL,
               [&](tf::Pipeflow& flow) {
                 if (!Source::op(items[flow.line()])) flow.stop();
               }},
      tf::Pipe{tf::PipeType::PARALLEL, [&](tf::Pipeflow& flow) { Work::op(items[flow.line()]); }},
      tf::Pipe{tf::PipeType::SERIAL, [&](tf::Pipeflow& flow) { Sink::op(items[flow.line()]); }});
  tf::Taskflow flow;
  flow.composed_of(pipeline);
  tf::Executor executor(threads);
  executor.run(flow).wait();
  spb::Metrics::stop();
}

void compress() {
  run<spb::Source, spb::Compress, spb::Sink>();
}
void decompress() {
  run<spb::Source_d, spb::Decompress, spb::Sink_d>();
}

int main(int argc, char* argv[]) {
  spb::bzip2_main(argc, argv);
}
