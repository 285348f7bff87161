#include <video_filter.hpp>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  while (true) {
    spb::Item item;
    if (!spb::Source::op(item)) break;
    spb::Read::op(item);
    spb::Blur::op(item);
    spb::Sobel::op(item);
    spb::Pack::op(item);
    spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
