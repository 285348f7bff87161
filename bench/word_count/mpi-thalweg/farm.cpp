#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <ranks.hpp>
#include <word_count.hpp>

#include "bench/support/counted_words.hpp"
#include "bench/support/item_codec.hpp"
#include "bench/support/words_by_part.hpp"

namespace tw = thalweg;
using apps::word_count::passage;

template <>
struct tw::codec<spb::Item> : item_codec<spb::Item, &passage::number, &passage::text, &passage::words> {
  static void write(byte_writer& to, const spb::Item& item) {
    to(item.key);
    item_codec::write(to, item);
  }
  static void read(byte_reader& from, spb::Item& item) {
    from(item.key);
    item_codec::read(from, item);
  }
};
template <>
struct tw::codec<counted_words> : tw::codec_of_members<&counted_words::words, &counted_words::letters> {};

std::optional<spb::Item> next() {
  spb::Item item;
  if (!spb::Source::op(item)) return std::nullopt;
  return item;
}

void split(spb::Item item, tw::emitter<spb::Item>& out) {
  for (auto& part : words_by_part(item, static_cast<std::size_t>(spb::replicas()))) out(std::move(part));
}

struct count {
  void operator()(spb::Counts& state, spb::Item item) const { spb::Count::op(item, state); }
  void on_end(const std::uint64_t& /*part*/, spb::Counts& state, tw::emitter<counted_words>& out) const {
    out(counted_words::of(state));
  }
};

void give_to_sink(const counted_words& part) {
  auto counts = part.counts();
  spb::Sink::op(counts);
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::as_asked);
  spb::init_bench(argc, argv);
  const tw::options any_order{.replicas = spb::replicas(), .unordered = true};
  spb::Metrics::init();
  tw::run(tw::source(next) | tw::farm(tw::flat_map(split), any_order) |
              tw::farm(tw::key_by(&spb::Item::key, count{}), any_order) | tw::sink(give_to_sink),
          tw::mpi{tw::mpi_options{.local = tw::pool{.workers = spb::nthreads}}});
  spb::Metrics::stop();
  spb::end_bench();
}
