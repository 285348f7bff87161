#include <thalweg/thalweg.hpp>

#include <optional>

#include <lane_detection.hpp>

namespace tw = thalweg;

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return std::nullopt;
  return item;
}

spb::Item work(spb::Item item) {
  spb::Segment::op(item);
  spb::Canny1::op(item);
  spb::HoughT::op(item);
  spb::HoughP::op(item);
  spb::Bitwise::op(item);
  spb::Canny2::op(item);
  spb::Overlap::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tw::run(tw::source(next) | tw::farm(work, {.replicas = spb::nthreads}) |
              tw::sink([](spb::Item item) { spb::Sink::op(item); }),
          tw::threads{});
  spb::Metrics::stop();
  spb::end_bench();
}
