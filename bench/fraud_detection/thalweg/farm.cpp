#include <thalweg/thalweg.hpp>

#include <cstddef>
#include <optional>
#include <vector>

#include <fraud_detection.hpp>

namespace tw = thalweg;

using chunk = std::vector<spb::Item>;  // to hand over a single transaction costs more than its prediction
constexpr std::size_t chunk_size = 256;

std::optional<chunk> next() {
  chunk some;
  some.reserve(chunk_size);
  for (spb::Item item; some.size() < chunk_size && spb::Source::op(item);) some.push_back(item);
  if (some.empty()) return std::nullopt;
  return some;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto parts = static_cast<std::size_t>(spb::nthreads);
  std::vector<Markov_Model_Predictor> predictors(parts);

  // A stage for each part of the cards: one works on a chunk while the next one has the chunk before. A chunk
  // stays with its thread where it can, and few are under way, so that they stay in its cache.
  tw::any_pipeline<void, chunk> stream = tw::source(next);
  for (std::size_t part = 0; part < parts; ++part) {
    const auto predict = [parts, part, &state = predictors[part]](chunk some) {
      for (auto& item : some)
        if (item.key % parts == part) spb::Predictor::op(item, state);
      return some;
    };
    stream = stream | tw::map(predict, {.capacity = 2});
  }
  const auto write = [](chunk some) {
    for (auto& item : some)
      if (item) spb::Sink::op(item);
  };
  tw::run(stream | tw::sink(write), tw::pool{.workers = spb::nthreads});
  spb::Metrics::stop();
  spb::end_bench();
}
