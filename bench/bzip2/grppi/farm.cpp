#include <optional>

#include <bzip2.hpp>

#include "bench/support/grppi_back_end.hpp"
#include "bench/support/grppi_over_threads.hpp"

template <class Source, class Work, class Sink> void run() {
  auto execution = grppi_back_end_or(grppi_over_threads());
  spb::Metrics::init();
  grppi::pipeline(
      execution,
      []() -> std::optional<spb::Item> {
        spb::Item item;
        if (!Source::op(item)) return {};
        return item;
      },
      grppi::farm(spb::nthreads,
                  [](spb::Item item) {
                    Work::op(item);
                    return item;
                  }),
      [](spb::Item item) { Sink::op(item); });
  spb::Metrics::stop();
}

void compress() {
  run<spb::Source, spb::Compress, spb::Sink>();
}
void decompress() {
  run<spb::Source_d, spb::Decompress, spb::Sink_d>();
}

int main(int argc, char* argv[]) {
  spb::bzip2_main(argc, argv);
}
