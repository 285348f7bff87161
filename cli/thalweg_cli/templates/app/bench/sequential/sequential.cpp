#include <app_name.hpp>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  while (true) {
    spb::Item item;
    if (!spb::Source::op(item)) break;
    spb::Longest::op(item);
    spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
