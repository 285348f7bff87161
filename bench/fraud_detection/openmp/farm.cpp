#include <cstddef>
#include <vector>

#include <fraud_detection.hpp>

constexpr std::size_t chunk_size = 256;  // a task for each transaction would cost more than its prediction

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto threads = static_cast<std::size_t>(spb::nthreads);
  std::vector<Markov_Model_Predictor> predictors(threads);
  std::vector<std::vector<spb::Item>> slots(2 * threads);
  auto* const slot = slots.data();
  auto* const predictor = predictors.data();
#pragma omp parallel num_threads(spb::nthreads)
#pragma omp single
  for (std::size_t i = 0;; i = (i + 1) % slots.size()) {
#pragma omp taskwait depend(inout : slot[i])
    slot[i].clear();
    for (spb::Item item; slot[i].size() < chunk_size && spb::Source::op(item);) slot[i].push_back(item);
    if (slot[i].empty()) break;
    // A task for each part of the cards: those of a part take turns, those of a chunk do not touch each
    // other.
    for (std::size_t part = 0; part < threads; ++part) {
#pragma omp task firstprivate(i, part) depend(in : slot[i]) depend(inout : predictor[part])
      for (auto& item : slot[i])
        if (item.key % threads == part) spb::Predictor::op(item, predictor[part]);
    }
#pragma omp task firstprivate(i) depend(inout : slot[i])
    for (auto& item : slot[i])
      if (item) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
