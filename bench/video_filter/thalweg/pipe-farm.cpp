#include <thalweg/thalweg.hpp>

#include <optional>

#include <video_filter.hpp>

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
  tw::run(tw::source(next) | tw::farm(apply<spb::Read>) | tw::farm(apply<spb::Blur>) |
              tw::farm(apply<spb::Sobel>) | tw::farm(apply<spb::Pack>) |
              tw::sink([](spb::Item item) { spb::Sink::op(item); }),
          tw::pool{.workers = spb::nthreads});
  spb::Metrics::stop();
  spb::end_bench();
}
