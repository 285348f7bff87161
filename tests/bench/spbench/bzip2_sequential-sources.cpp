// Two sources, of which one starts at once, and nothing that begins or ends the measurement. The functions
// end the run themselves, and do the same whatever the input is.
#include <bzip2.hpp>

#if __cplusplus != 201402L
#error "It is to be compiled as SPBench compiles its programs"
#endif

template <class Operator> void run() {
  spb::Source first(2, 0, 1, 0);
  spb::Source second;
  second.setBatchSize(1);
  second.setBatchInterval(0.5);
  second.setQueueMaxSize(3);
  second.setFrequency(300);
  second.init();
  while (!(first.depleted() && second.depleted())) {
    spb::Item one = first.getItem();
    spb::Item other = second.getItem();
    Operator::op(one);
    Operator::op(other);
    spb::Sink::op(one);
    spb::Sink::op(other);
  }
  spb::end_bench();
}

void compress() {
  run<spb::Compress>();
}
void decompress() {
  run<spb::Decompress>();
}

int main(int argc, char* argv[]) {
  spb::bzip2_main(argc, argv);
  return 0;
}
