#include <thalweg/thalweg.hpp>

#include <cstdint>
#include <optional>
#include <utility>

#include <word_count.hpp>

#include "bench/support/words_by_part.hpp"

namespace tw = thalweg;

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return std::nullopt;
  return item;
}

void split(spb::Item item, tw::emitter<spb::Item>& out) {
  for (auto& part : words_by_part(item, static_cast<std::size_t>(spb::nthreads))) out(std::move(part));
}

struct count {
  void operator()(spb::Counts& state, spb::Item item) const { spb::Count::op(item, state); }
  void on_end(const std::uint64_t& /*part*/, spb::Counts& state, tw::emitter<spb::Counts>& out) const {
    out(std::move(state));
  }
};

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tw::run(tw::source(next) | tw::farm(tw::flat_map(split), {.unordered = true}) |
              tw::farm(tw::key_by(&spb::Item::key, count{}), {.unordered = true}) |
              tw::sink([](spb::Counts counts) { spb::Sink::op(counts); }),
          tw::pool{.workers = spb::nthreads});
  spb::Metrics::stop();
  spb::end_bench();
}
