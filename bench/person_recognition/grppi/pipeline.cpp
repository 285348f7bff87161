#include <optional>

#include <person_recognition.hpp>

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
  auto execution = grppi_back_end_or(grppi_over_threads(), 2);
  spb::Metrics::init();
  grppi::pipeline(execution, next, apply<spb::Detect>, apply<spb::Recognize>,
                  [](spb::Item item) { spb::Sink::op(item); });
  spb::Metrics::stop();
  spb::end_bench();
}
