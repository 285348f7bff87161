#include <nexmark_q1.hpp>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  for (spb::Item item; spb::Source::op(item);) {
    spb::Generate::op(item);
    spb::Convert::op(item);
    if (item) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
