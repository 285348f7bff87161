#include <thalweg/thalweg.hpp>

#include <optional>

#include <lane_detection.hpp>

namespace tw = thalweg;

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return std::nullopt;
  return item;
}

template <class Operator> spb::Item apply(spb::Item item) {
  Operator::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tw::run(
      tw::source(next) |
          tw::farm(tw::map(apply<spb::Segment>) | tw::map(apply<spb::Canny1>) | tw::map(apply<spb::HoughT>) |
                   tw::map(apply<spb::HoughP>) | tw::map(apply<spb::Bitwise>) | tw::map(apply<spb::Canny2>) |
                   tw::map(apply<spb::Overlap>)) |
          tw::sink([](spb::Item item) { spb::Sink::op(item); }),
      tw::pool{.workers = spb::nthreads});
  spb::Metrics::stop();
  spb::end_bench();
}
