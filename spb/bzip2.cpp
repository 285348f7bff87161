#include "spb/bzip2.hpp"

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "apps/bzip2/application.hpp"
#include "apps/bzip2/bzip2.hpp"
#include "apps/bzip2/operator_names.hpp"
#include "apps/support/error.hpp"
#include "spb/detail/bzip2_block.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/per_stream.hpp"
#include "spb/detail/pointer_stream.hpp"
#include "spb/detail/session.hpp"

// What travels of an element: what the source fills.
template <>
struct thalweg::codec<apps::bzip2::block>
    : thalweg::codec_of_members<&apps::bzip2::block::number, &apps::bzip2::block::data> {};
template <>
struct thalweg::codec<apps::bzip2::packed_block>
    : thalweg::codec_of_members<&apps::bzip2::packed_block::number, &apps::bzip2::packed_block::bit,
                                &apps::bzip2::packed_block::bits, &apps::bzip2::packed_block::packed,
                                &apps::bzip2::packed_block::opens_stream,
                                &apps::bzip2::packed_block::stream_sum, &apps::bzip2::packed_block::follows> {
};

namespace spb {
namespace {

namespace bz = apps::bzip2;
namespace fs = std::filesystem;

// The first three compress, the others decompress. A stream does one of these, with operators 0 to 2.
constexpr std::size_t in_one_direction = 3;
constexpr auto middle_op = bz::compress_op, sink_op = bz::sink_op;
static_assert(bz::sink_d_op == sink_op + in_one_direction);

using detail::bzip2_block;

// A stream of one kind: of blocks to compress, or to decompress.
template <class Block, class Reader, class Writer> struct stream {
  using block = Block;
  using pull = detail::appending<detail::pointer_source<Reader, bzip2_block>>;
  stream(Reader in, std::unique_ptr<Writer> out) : intake(pull{{std::move(in)}}), writer(std::move(out)) {}
  detail::intake<Item, pull> intake;
  std::unique_ptr<Writer> writer;
  std::mutex lock;
};

using compression = stream<bz::block, detail::elements<bz::source>, bz::sink>;
using decompression = stream<bz::packed_block, detail::elements<bz::source_d>, bz::sink_d>;

detail::per_stream<compression> packing;
detail::per_stream<decompression> unpacking;

[[noreturn]] void complain() {
  throw apps::error(!packing.empty()     ? "the input is text: it can be compressed, not decompressed"
                    : !unpacking.empty() ? "the input is a .bz2 file: it can be decompressed, not compressed"
                                         : "init_bench has not been called");
}

template <class Stream> bool take_from(detail::per_stream<Stream>& all, detail::feed& by, Item& item) {
  return detail::guarded(false, [&] {
    if (all.empty()) complain();
    return all.of(by).intake.take(by, item);
  });
}

// An operator keeps its memory from one item to the next on the same thread.
template <class Block, class Operator> void work_on(Item& item) {
  detail::operate(middle_op, item, [](Item& all) {
    thread_local Operator work;
    for (auto& pointer : all) {
      auto* const block = std::get_if<Block>(&pointer->one);
      if (block == nullptr) complain();
      *block = work(std::move(*block));
    }
  });
}

template <class Stream> void write_to(detail::per_stream<Stream>& all, Item& item) {
  detail::guarded(false, [&] {
    if (all.empty()) complain();
    auto& to = all.of(item);
    detail::deliver(sink_op, item, to.lock, [&](Item& blocks) {
      for (auto& pointer : blocks) (*to.writer)(std::get<typename Stream::block>(std::move(pointer->one)));
    });
    return true;
  });
}

// A played input has no file here, but its name.
fs::path file_of(const detail::places& where) {
  if (where.network) return where.input_name;
  return where.input_class.empty() ? where.input : bz::file_of(where.input_class, where.input);
}

bool is_packed(const detail::places& where) {
  return file_of(where).extension() == ".bz2" || where.input_name.ends_with("_d");
}

template <class Source> Source source_of(const detail::options& asked, const detail::places& where) {
  return Source(file_of(where), asked.in_memory ? bz::input_held::in_memory : bz::input_held::on_disk);
}

template <class Source>
detail::elements<Source> elements_of(const detail::options& asked, const detail::places& where) {
  return detail::elements_of(where, [&] { return source_of<Source>(asked, where); });
}

detail::play_result play(const detail::options& asked, const detail::places& where,
                         const detail::destination& to) {
  return is_packed(where) ? detail::play(source_of<bz::source_d>(asked, where), to)
                          : detail::play(source_of<bz::source>(asked, where), to);
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  const auto file = file_of(where);
  detail::forbid_overwriting(file, where);
  if (is_packed(where) ? !packing.empty() : !unpacking.empty())
    throw apps::error("of several inputs all are .bz2 files, or none is: '" + where.input_name +
                      "' is not like the first");
  const auto names = bz::operator_names();
  if (is_packed(where)) {
    unpacking.add(elements_of<bz::source_d>(asked, where), std::make_unique<bz::sink_d>(where.output, file));
    return {names.begin() + in_one_direction, names.end()};
  }
  packing.add(elements_of<bz::source>(asked, where), std::make_unique<bz::sink>(where.output));
  return {names.begin(), names.begin() + in_one_direction};
}

void close_text(bz::sink_d& text) {
  text.close();
  if (const auto byte = text.left_out_from())
    detail::remark("what begins at byte " + std::to_string(*byte) +
                   " of the input is no .bz2 stream, and is left out");
}

void discard() {
  packing.clear();
  unpacking.clear();
}

}  // namespace

bool detail::decompressing() {
  return !unpacking.empty();
}

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &bz::about(),
                 .open = open,
                 .play = play,
                 .complete =
                     [] {
                       packing.for_each([](compression& one) { one.writer->close(); });
                       unpacking.for_each([](decompression& one) { close_text(*one.writer); });
                     },
                 .discard = discard,
                 .elements_suffice = true});
}

// SPBench's programs with several sources have one source and one sink for either kind of input.
bool Source::take(detail::feed& by, Item& item) {
  return unpacking.empty() ? take_from(packing, by, item) : take_from(unpacking, by, item);
}
void Compress::op(Item& item) {
  work_on<bz::block, bz::compress>(item);
}
void Sink::op(Item& item) {
  unpacking.empty() ? write_to(packing, item) : write_to(unpacking, item);
}

bool Source_d::take(detail::feed& by, Item& item) {
  return take_from(unpacking, by, item);
}
void Decompress::op(Item& item) {
  work_on<bz::packed_block, bz::decompress>(item);
}
void Sink_d::op(Item& item) {
  write_to(unpacking, item);
}

}  // namespace spb
