#include <thalweg/thalweg.hpp>

#include <optional>

#include <bzip2.hpp>

namespace tw = thalweg;

template <class Source, class Work, class Sink> void run() {
  spb::Metrics::init();
  const auto next = []() -> std::optional<spb::Item> {
    spb::Item item;
    if (!Source::op(item)) return std::nullopt;
    return item;
  };
  const auto work = [](spb::Item item) {
    Work::op(item);
    return item;
  };
  tw::run(tw::source(next) | tw::farm(work, {.replicas = spb::nthreads}) |
              tw::sink([](spb::Item item) { Sink::op(item); }),
          tw::threads{});
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
