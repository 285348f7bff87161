#include <thalweg/thalweg.hpp>

#include <optional>

#include <fraud_detection.hpp>

namespace tw = thalweg;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto next = []() -> std::optional<spb::Item> {
    spb::Item item;
    if (!spb::Source::op(item)) return std::nullopt;
    return item;
  };
  // A predictor holds many cards: there are as many as can be divided up among the workers.
  const auto part_of = [](const spb::Item& item) { return item.key % 32; };
  const auto predict = [](Markov_Model_Predictor& state, spb::Item item, tw::emitter<spb::Item>& alarms) {
    spb::Predictor::op(item, state);
    if (item) alarms(item);
  };
  tw::run(tw::source(next) | tw::farm(tw::key_by(part_of, predict)) |
              tw::sink([](spb::Item alarm) { spb::Sink::op(alarm); }),
          tw::pool{.workers = spb::nthreads});
  spb::Metrics::stop();
  spb::end_bench();
}
