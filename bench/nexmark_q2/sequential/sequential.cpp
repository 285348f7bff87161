#include <nexmark_q2.hpp>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  for (spb::Item item; spb::Source::op(item);) {
    spb::Generate::op(item);
    spb::Select::op(item);
    if (item) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
