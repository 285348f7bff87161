// Two sources, and one predictor for both.
#include <fraud_detection.hpp>

#if __cplusplus != 201402L
#error "It is to be compiled as SPBench compiles its programs"
#endif

Markov_Model_Predictor predictor;

void alarm_of(spb::Source& source) {
  spb::Item item = source.getItem();
  spb::Predictor::op(item, predictor);
  if (item) spb::Sink::op(item);
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Source first(1, 0, 64, 0);
  spb::Source second;
  second.setQueueMaxSize(8);
  second.init();
  while (!(first.depleted() && second.depleted())) {
    alarm_of(first);
    alarm_of(second);
  }
  spb::end_bench();
  return 0;
}
