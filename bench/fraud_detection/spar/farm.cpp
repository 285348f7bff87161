#include <cstddef>
#include <vector>

#include <fraud_detection.hpp>

#include "bench/support/card_chunks.hpp"

// All transactions of a card meet the same predictor, in their order: the part of the cards is the key.
int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto parts = static_cast<std::size_t>(spb::nthreads);
  std::vector<Markov_Model_Predictor> predictors(parts);
  card_chunks next(parts, spb::Source::op);
  [[spar::ToStream]] while (true) {
    auto chunk = next();
    if (!chunk) break;
    [[spar::Stage, spar::Input(chunk), spar::Output(chunk), spar::Replicate(parts),
      thalweg::KeyBy(chunk->part)]] {
      for (auto& item : chunk->items) spb::Predictor::op(item, predictors[chunk->part]);
    }
    [[spar::Stage, spar::Input(chunk)]] {
      for (auto& item : chunk->items)
        if (item) spb::Sink::op(item);
    }
  }
  spb::Metrics::stop();
  spb::end_bench();
}
