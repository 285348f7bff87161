#include <optional>

#include <hash_search.hpp>

#include "bench/support/grppi_back_end.hpp"
#include "bench/support/grppi_over_threads.hpp"

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return {};
  return item;
}

spb::Item work(spb::Item item) {
  spb::Search::op(item);
  return item;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  auto execution = grppi_back_end_or(grppi_over_threads());
  spb::Metrics::init();
  grppi::pipeline(execution, next, grppi::farm(spb::nthreads, work),
                  [](spb::Item item) { spb::Sink::op(item); });
  spb::Metrics::stop();
  spb::end_bench();
}
