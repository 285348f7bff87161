#include <thalweg/thalweg.hpp>

#include <cstddef>

#include <fraud_detection.hpp>

#include "bench/support/card_chunks.hpp"
#include "bench/support/several_sources.hpp"

namespace tw = thalweg;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto parts = static_cast<std::size_t>(spb::nthreads);
  auto sources = several_sources<spb::Source>(256);
  const auto predict = [](Markov_Model_Predictor& state, card_chunk some, tw::emitter<spb::Item>& alarms) {
    for (auto& item : some.items) {
      spb::Predictor::op(item, state);
      if (item) alarms(item);
    }
  };
  tw::graph streams;
  auto& all = streams.add<tw::merge<card_chunk>>();  // as they come
  for (auto& source : sources) {
    const auto next = [&source](spb::Item& item) { return source.getItem(item); };
    streams.connect(streams.add(tw::source(card_chunks(parts, next))).out, all.input());
  }
  const auto predictors = streams.add<card_chunk>(tw::farm(tw::key_by(&card_chunk::part, predict)));
  streams.connect(all.out, predictors.in);
  streams.connect(predictors.out, streams.add(tw::sink([](spb::Item alarm) { spb::Sink::op(alarm); })).in);
  // A source that waits for its next transaction keeps a worker from predicting: there is one more for each.
  tw::run(streams, tw::pool{.workers = spb::nthreads + static_cast<int>(sources.size())});
  spb::Metrics::stop();
  spb::end_bench();
}
