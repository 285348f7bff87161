#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <cstddef>

#include <fraud_detection.hpp>
#include <ranks.hpp>

#include "bench/support/card_chunks.hpp"

namespace tw = thalweg;

template <> struct tw::codec<card_chunk> : tw::codec_of_members<&card_chunk::part, &card_chunk::items> {};

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::as_asked);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto predict = [](Markov_Model_Predictor& state, card_chunk some, tw::emitter<spb::Item>& alarms) {
    for (auto& item : some.items) {
      spb::Predictor::op(item, state);
      if (item) alarms(item);
    }
  };
  const tw::options any_order{.replicas = spb::replicas(), .unordered = true};
  tw::run(tw::source(card_chunks(static_cast<std::size_t>(spb::replicas()), spb::Source::op)) |
              tw::farm(tw::key_by(&card_chunk::part, predict), any_order) |
              tw::sink([](spb::Item alarm) { spb::Sink::op(alarm); }),
          tw::mpi{tw::mpi_options{.local = tw::pool{.workers = spb::nthreads}}});
  spb::Metrics::stop();
  spb::end_bench();
}
