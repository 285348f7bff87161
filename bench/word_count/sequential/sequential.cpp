#include <word_count.hpp>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  spb::Counts counts;
  while (true) {
    spb::Item item;
    if (!spb::Source::op(item)) break;
    spb::Split::op(item);
    spb::Count::op(item, counts);
  }
  spb::Sink::op(counts);
  spb::Metrics::stop();
  spb::end_bench();
}
