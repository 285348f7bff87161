#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include <fraud_detection.hpp>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "bench/support/several_sources.hpp"

namespace flow = tbb::flow;

// A message for each transaction would cost more than its prediction.
struct chunk {
  std::size_t number = 0;
  std::vector<spb::Item> items;
};
constexpr std::size_t chunk_size = 256;
using message = std::shared_ptr<chunk>;  // nodes copy what they hand over

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  auto sources = several_sources<spb::Source>(256);
  std::vector<Markov_Model_Predictor> predictors(threads);
  // A source that waits for its next transaction keeps a thread from predicting: there is one more for each.
  const auto all = threads + sources.size();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, all);
  tbb::task_arena arena(static_cast<int>(all));
  arena.execute([&] {
    flow::graph streams;
    flow::limiter_node<message> under_way(streams, 2 * threads);
    // A serial node begins with the next chunk before it has handed on the last one, so chunks can overtake
    // each other behind it. The transactions of a card have to come in their order.
    flow::function_node<message, message> number(streams, flow::serial,
                                                 [next = std::size_t{0}](const message& some) mutable {
                                                   some->number = next++;
                                                   return some;
                                                 });
    flow::make_edge(under_way, number);
    // A serial node for each part of the cards: one works on a chunk while the next one has the chunk before.
    std::deque<flow::sequencer_node<message>> orders;
    std::deque<flow::function_node<message, message>> parts;
    flow::sender<message>* before = &number;
    for (std::size_t part = 0; part < threads; ++part) {
      const auto predict = [threads, part, &state = predictors[part]](const message& some) {
        for (auto& item : some->items)
          if (item.key % threads == part) spb::Predictor::op(item, state);
        return some;
      };
      flow::make_edge(*before,
                      orders.emplace_back(streams, [](const message& some) { return some->number; }));
      flow::make_edge(orders.back(), parts.emplace_back(streams, flow::serial, predict));
      before = &parts.back();
    }
    flow::function_node<message> sink(streams, flow::serial, [](const message& some) {
      for (auto& item : some->items)
        if (item) spb::Sink::op(item);
      return flow::continue_msg();
    });
    flow::make_edge(*before, sink);
    flow::make_edge(sink, under_way.decrementer());
    std::deque<flow::input_node<message>> inputs;
    for (auto& source : sources) {
      inputs.emplace_back(streams, [&source](tbb::flow_control& control) {
        auto some = std::make_shared<chunk>();
        auto& items = some->items;
        items.reserve(chunk_size);
        for (spb::Item item; items.size() < chunk_size && source.getItem(item);) items.push_back(item);
        if (items.empty()) control.stop();
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
