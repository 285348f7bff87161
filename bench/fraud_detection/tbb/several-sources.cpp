#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include <fraud_detection.hpp>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "bench/support/card_sources.hpp"

namespace flow = tbb::flow;

using chunk = std::vector<spb::Item>;  // a message for each transaction would cost more than its prediction
constexpr std::size_t chunk_size = 256;
using message = std::shared_ptr<chunk>;  // nodes copy what they hand over

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  auto sources = card_sources();
  std::vector<Markov_Model_Predictor> predictors(threads);
  // A source that waits for its next transaction keeps a thread from predicting: there is one more for each.
  const auto all = threads + sources.size();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, all);
  tbb::task_arena arena(static_cast<int>(all));
  arena.execute([&] {
    flow::graph streams;
    flow::limiter_node<message> under_way(streams, 2 * threads);
    // A serial node for each part of the cards: one works on a chunk while the next one has the chunk before.
    std::deque<flow::function_node<message, message>> parts;
    flow::sender<message>* before = &under_way;
    for (std::size_t part = 0; part < threads; ++part) {
      const auto predict = [threads, part, &state = predictors[part]](const message& some) {
        for (auto& item : *some)
          if (item.key % threads == part) spb::Predictor::op(item, state);
        return some;
      };
      flow::make_edge(*before, parts.emplace_back(streams, flow::serial, predict));
      before = &parts.back();
    }
    flow::function_node<message> sink(streams, flow::serial, [](const message& some) {
      for (auto& item : *some)
        if (item) spb::Sink::op(item);
      return flow::continue_msg();
    });
    flow::make_edge(*before, sink);
    flow::make_edge(sink, under_way.decrementer());
    std::deque<flow::input_node<message>> inputs;
    for (auto& source : sources) {
      inputs.emplace_back(streams, [&source](tbb::flow_control& control) {
        auto some = std::make_shared<chunk>();
        some->reserve(chunk_size);
        for (spb::Item item; some->size() < chunk_size && source.getItem(item);) some->push_back(item);
        if (some->empty()) control.stop();
        return some;
      });
      flow::make_edge(inputs.back(), under_way);
    }
    for (auto& input : inputs) input.activate();
    streams.wait_for_all();
  });
  spb::Metrics::stop();
  spb::end_bench();
}
