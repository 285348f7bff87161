#include <cstddef>
#include <utility>
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
  [[spar::ToStream]] while (auto full = next()) {
    card_chunk some = *std::move(full);
    [[spar::Stage, spar::Input(some), spar::Output(some), spar::Replicate(spb::nthreads),
      thalweg::KeyBy(some.part)]] {
      for (auto& item : some.items) spb::Predictor::op(item, predictors[some.part]);
    }
    [[spar::Stage, spar::Input(some)]] {
      for (auto& item : some.items)
        if (item) spb::Sink::op(item);
    }
  }
  spb::Metrics::stop();
  spb::end_bench();
}
