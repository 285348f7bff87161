#include <optional>

#include <lane_detection.hpp>

#include "bench/support/grppi_back_end.hpp"
#include "bench/support/grppi_over_threads.hpp"

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return {};
  return item;
}

template <class Operator> spb::Item apply(spb::Item item) {
  Operator::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  auto execution = grppi_back_end_or(grppi_over_threads(), 7 * spb::nthreads);
  spb::Metrics::init();
  grppi::pipeline(
      execution, next, grppi::farm(spb::nthreads, apply<spb::Segment>),
      grppi::farm(spb::nthreads, apply<spb::Canny1>), grppi::farm(spb::nthreads, apply<spb::HoughT>),
      grppi::farm(spb::nthreads, apply<spb::HoughP>), grppi::farm(spb::nthreads, apply<spb::Bitwise>),
      grppi::farm(spb::nthreads, apply<spb::Canny2>), grppi::farm(spb::nthreads, apply<spb::Overlap>),
      [](spb::Item item) { spb::Sink::op(item); });
  spb::Metrics::stop();
  spb::end_bench();
}
