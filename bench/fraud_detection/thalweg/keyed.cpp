#include <thalweg/thalweg.hpp>

#include <cstddef>

#include <fraud_detection.hpp>

#include "bench/support/card_chunks.hpp"

namespace tw = thalweg;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto predict = [](Markov_Model_Predictor& state, card_chunk some, tw::emitter<spb::Item>& alarms) {
    for (auto& item : some.items) {
      spb::Predictor::op(item, state);
      if (item) alarms(item);
    }
  };
  tw::run(tw::source(card_chunks(static_cast<std::size_t>(spb::nthreads), spb::Source::op)) |
              tw::farm(tw::key_by(&card_chunk::part, predict)) |
              tw::sink([](spb::Item alarm) { spb::Sink::op(alarm); }),
          tw::pool{.workers = spb::nthreads});
  spb::Metrics::stop();
  spb::end_bench();
}
