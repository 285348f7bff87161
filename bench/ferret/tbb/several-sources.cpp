#include <cstddef>
#include <deque>
#include <memory>

#include <ferret.hpp>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "bench/support/several_sources.hpp"

namespace flow = tbb::flow;

using message = std::shared_ptr<spb::Item>;  // nodes copy what they hand over

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  auto sources = several_sources<spb::Source>();
  // A source that waits for its next item keeps a thread from searching: there is one more for each.
  const auto all = threads + sources.size();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, all);
  tbb::task_arena arena(static_cast<int>(all));
  arena.execute([&] {
    flow::graph streams;
    flow::limiter_node<message> under_way(streams, 2 * threads);
    flow::function_node<message, message> search(streams, threads, [](const message& item) {
      spb::Segmentation::op(*item);
      spb::Extract::op(*item);
      spb::Vectorization::op(*item);
      spb::Rank::op(*item);
      return item;
    });
    flow::function_node<message> sink(streams, flow::serial, [](const message& item) {
      spb::Sink::op(*item);
      return flow::continue_msg();
    });
    flow::make_edge(under_way, search);
    flow::make_edge(search, sink);
    flow::make_edge(sink, under_way.decrementer());
    std::deque<flow::input_node<message>> inputs;
    for (auto& source : sources) {
      inputs.emplace_back(streams, [&source](tbb::flow_control& control) {
        auto item = std::make_shared<spb::Item>();
        if (!source.getItem(*item)) control.stop();
        return item;
      });
      flow::make_edge(inputs.back(), under_way);
    }
    for (auto& input : inputs) input.activate();
    streams.wait_for_all();
  });
  spb::Metrics::stop();
  spb::end_bench();
}
