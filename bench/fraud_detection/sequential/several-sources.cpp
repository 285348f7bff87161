#include <fraud_detection.hpp>

#include "bench/support/several_sources.hpp"

Markov_Model_Predictor predictor;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  auto sources = several_sources<spb::Source>(256);
  for (bool some = true; some;) {
    some = false;
    for (auto& source : sources) {  // in turn
      spb::Item item;
      if (!source.getItem(item)) continue;
      some = true;
      spb::Predictor::op(item, predictor);
      if (item) spb::Sink::op(item);
    }
  }
  spb::Metrics::stop();
  spb::end_bench();
}
