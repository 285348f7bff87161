#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <optional>
#include <string>
#include <variant>

#include <bzip2.hpp>
#include <ranks.hpp>

#include "bench/support/item_codec.hpp"
#include "spb/detail/bzip2_block.hpp"

namespace tw = thalweg;
using apps::bzip2::block;
using apps::bzip2::packed_block;

/// What travels of a block of either kind.
struct block_codec {
  using text = tw::codec_of_members<&block::number, &block::data>;
  using packed =
      tw::codec_of_members<&packed_block::number, &packed_block::bit, &packed_block::bits,
                           &packed_block::packed, &packed_block::text, &packed_block::opens_stream,
                           &packed_block::stream_sum, &packed_block::damaged, &packed_block::follows>;

  static std::string tag() { return text::tag() + " or " + packed::tag(); }
  static void write(tw::byte_writer& to, const spb::detail::bzip2_block& either) {
    const auto& one = either.one;
    to(one.index() != 0);
    one.index() == 0 ? text::write(to, std::get<block>(one)) : packed::write(to, std::get<packed_block>(one));
  }
  static void read(tw::byte_reader& from, spb::detail::bzip2_block& either) {
    auto& one = either.one;
    bool is_packed = false;
    from(is_packed);
    is_packed ? packed::read(from, one.emplace<packed_block>()) : text::read(from, one.emplace<block>());
  }
};
template <> struct tw::codec<spb::Item> : item_codec_by<spb::Item, block_codec> {};

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
  tw::run(tw::source(next) | tw::farm(work, {.replicas = spb::replicas()}) |
              tw::sink([](spb::Item item) { Sink::op(item); }),
          tw::mpi{tw::mpi_options{.local = tw::pool{.workers = spb::nthreads}}});
  spb::Metrics::stop();
}

void compress() {
  run<spb::Source, spb::Compress, spb::Sink>();
}
void decompress() {
  run<spb::Source_d, spb::Decompress, spb::Sink_d>();
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::as_asked);
  spb::bzip2_main(argc, argv);
}
