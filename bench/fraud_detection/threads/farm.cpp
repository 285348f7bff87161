#include <cstddef>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include <fraud_detection.hpp>

using chunk = std::vector<spb::Item>;  // to lock a queue for each transaction costs more than its prediction
constexpr std::size_t chunk_size = 256;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto n = static_cast<std::size_t>(spb::nthreads);
  std::deque<SharedQueue<chunk>> to_do;  // a queue for each worker and its part of the cards
  for (std::size_t i = 0; i < n; ++i) to_do.emplace_back(4);
  SharedQueue<spb::Item> alarms(n, n);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      std::vector<chunk> parts(n);
      for (spb::Item item; spb::Source::op(item);) {
        auto& part = parts[item.key % n];
        part.push_back(item);
        if (part.size() == chunk_size) to_do[item.key % n].enqueue(std::exchange(part, {}));
      }
      for (std::size_t i = 0; i < n; ++i) {
        to_do[i].enqueue(std::move(parts[i]));
        to_do[i].close();
      }
    });
    for (auto& mine : to_do) {
      threads.emplace_back([&] {
        Markov_Model_Predictor predictor;
        for (chunk some; mine.dequeue(some);) {
          for (auto& item : some) {
            spb::Predictor::op(item, predictor);
            if (item) alarms.enqueue(item);
          }
        }
        alarms.close();
      });
    }
    for (spb::Item alarm; alarms.dequeue(alarm);) spb::Sink::op(alarm);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
