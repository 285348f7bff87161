#include <cstddef>
#include <functional>
#include <vector>

#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>
#include <word_count.hpp>

#include "bench/support/words_by_part.hpp"

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  std::vector<spb::Counts> counts(threads);
  std::vector<spb::Item> items(2 * threads);
  std::vector<std::vector<spb::Item>> parts(items.size());

  using pipe = tf::Pipe<std::function<void(tf::Pipeflow&)>>;
  std::vector<pipe> pipes;
  pipes.emplace_back(tf::PipeType::SERIAL, [&](tf::Pipeflow& flow) {
    if (!spb::Source::op(items[flow.line()])) flow.stop();
  });
  pipes.emplace_back(tf::PipeType::PARALLEL, [&](tf::Pipeflow& flow) {
    parts[flow.line()] = words_by_part(items[flow.line()], threads);
  });
  for (std::size_t part = 0; part < threads; ++part)
    pipes.emplace_back(tf::PipeType::SERIAL, [&, part](tf::Pipeflow& flow) {
      spb::Count::op(parts[flow.line()][part], counts[part]);
    });
  tf::ScalablePipeline pipeline(items.size(), pipes.begin(), pipes.end());
  tf::Taskflow flow;
  flow.composed_of(pipeline);
  tf::Executor executor(threads);
  executor.run(flow).wait();
  for (auto& part : counts) spb::Sink::op(part);
  spb::Metrics::stop();
  spb::end_bench();
}
