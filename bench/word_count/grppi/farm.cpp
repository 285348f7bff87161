#include <optional>

#include <word_count.hpp>

#include "bench/support/grppi_back_end.hpp"
#include "bench/support/grppi_over_threads.hpp"

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return {};
  return item;
}

spb::Item split(spb::Item item) {
  spb::Split::op(item);
  spb::Combine::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  auto execution = grppi_back_end_or(grppi_over_threads());
  spb::Metrics::init();
  spb::Counts counts;  // GrPPI has no keys: the last stage counts all words
  grppi::pipeline(execution, next, grppi::farm(spb::nthreads, split),
                  [&](spb::Item item) { spb::Count::op(item, counts); });
  spb::Sink::op(counts);
  spb::Metrics::stop();
  spb::end_bench();
}
