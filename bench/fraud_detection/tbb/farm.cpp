#include <cstddef>
#include <vector>

#include <fraud_detection.hpp>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

using chunk = std::vector<spb::Item>;  // a token for each transaction would cost more than its prediction
constexpr std::size_t chunk_size = 256;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  std::vector<Markov_Model_Predictor> predictors(threads);

  tbb::filter<void, chunk> stages =
      tbb::make_filter<void, chunk>(tbb::filter_mode::serial_in_order, [](tbb::flow_control& control) {
        chunk some;
        some.reserve(chunk_size);
        for (spb::Item item; some.size() < chunk_size && spb::Source::op(item);) some.push_back(item);
        if (some.empty()) control.stop();
        return some;
      });
  // A serial filter for each part of the cards: one works on a chunk while the next one has the chunk before.
  for (std::size_t part = 0; part < threads; ++part) {
    stages &= tbb::make_filter<chunk, chunk>(tbb::filter_mode::serial_in_order,
                                             [threads, part, &state = predictors[part]](chunk some) {
                                               for (auto& item : some)
                                                 if (item.key % threads == part)
                                                   spb::Predictor::op(item, state);
                                               return some;
                                             });
  }
  tbb::task_arena(spb::nthreads).execute([&] {
    tbb::parallel_pipeline(2 * threads, stages & tbb::make_filter<chunk, void>(
                                                     tbb::filter_mode::serial_in_order, [](chunk some) {
                                                       for (auto& item : some)
                                                         if (item) spb::Sink::op(item);
                                                     }));
  });
  spb::Metrics::stop();
  spb::end_bench();
}
