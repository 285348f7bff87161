#include <new>
#include <string>
#include <utility>

#include "apps/bzip2/bits.hpp"
#include "apps/bzip2/bzip2.hpp"
#include "apps/support/error.hpp"
#include "apps/support/order.hpp"

namespace apps::bzip2 {

namespace {

constexpr std::size_t piece = std::size_t{1} << 20U;
// 900 000 symbols of at most 20 bits, and their tables. Within what is longer there is a mark.
constexpr std::uint64_t most_bits = 8 * 2'500'000;
constexpr std::size_t header_size = 4;

// The byte behind the end mark at `bit` and its check sum, as a bit.
constexpr std::uint64_t behind_end(std::uint64_t bit) {
  return (bit + mark_bits + sum_bits + 7) / 8 * 8;
}

}  // namespace

source_d::source_d(std::filesystem::path path, input_held held) : in_(std::move(path)) {
  if (!has(0)) throw error("'" + in_.path().string() + "' is empty");
  if (!opens_at(0)) throw error("'" + in_.path().string() + "' is no .bz2 file");
  if (held == input_held::on_disk) return;
  while (auto b = read()) held_.push_back(std::move(*b));
}

std::optional<packed_block> source_d::operator()() {
  if (held_.empty()) return read();
  auto b = std::move(held_.front());
  held_.pop_front();
  return b;
}

std::optional<packed_block> source_d::read() {
  forget_what_was_read();
  if (level_ == 0 && !open_stream()) return std::nullopt;
  const auto end = find_end();
  if (!end) return std::nullopt;
  packed_block b;
  b.number = number_++;
  b.bit = start_ * 8 + at_;
  b.bits = end->bit - at_;
  b.packed = stream_of_block(level_, view(window_), at_, b.bits);
  b.opens_stream = std::exchange(opens_, false);
  at_ = end->bit;
  if (!end->ends_stream) return b;
  b.stream_sum = static_cast<std::uint32_t>(read_bits(view(window_), at_ + mark_bits, sum_bits));
  b.follows = what_stands_at(behind_end(at_) / 8);
  doubtful_ = b.follows != following::stream;
  if (doubtful_) return b;
  at_ = behind_end(at_);
  level_ = 0;
  return b;
}

void source_d::forget_what_was_read() {
  if (at_ / 8 < piece) return;
  window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(at_ / 8));
  start_ += at_ / 8;
  at_ %= 8;
}

// Goes to the first mark of the next stream; false at the end of the file.
bool source_d::open_stream() {
  if (!has(at_ / 8)) return false;
  level_ = window_[at_ / 8 + header_size - 1];
  at_ += 8 * header_size;
  opens_ = true;
  return true;
}

// The mark behind the block; nothing behind a doubtful end, if it was the last one.
std::optional<mark> source_d::find_end() {
  const bool hollow = opens_ && read_bits(view(window_), at_, mark_bits) == end_mark;
  auto from = hollow ? at_ : doubtful_ ? at_ + 1 : at_ + mark_bits + sum_bits;
  for (;;) {
    const auto found = find_mark(view(window_), from);
    if (found && is_whole(*found)) return found;
    if (found) {
      from = found->bit + 1;
      continue;
    }
    const bool too_far = window_.size() * 8 - at_ > most_bits + 8 * piece;
    // A mark may lie there in part.
    if (window_.size() * 8 >= from + mark_bits) from = window_.size() * 8 - (mark_bits - 1);
    if (!too_far && fill()) continue;
    if (doubtful_) return std::nullopt;
    fail(too_far ? "is damaged: there is no end of the block" : "is truncated: there is no end of the block",
         at_);
  }
}

// Whether the file has the check sum behind a mark, too.
bool source_d::is_whole(const mark& end) {
  return !end.ends_stream || has(behind_end(end.bit) / 8 - 1);
}

following source_d::what_stands_at(std::uint64_t byte) {
  if (!has(byte) || opens_at(byte)) return following::stream;
  const auto head = view(window_).substr(byte, header_size);
  if (!std::string_view("BZh").starts_with(head.substr(0, 3))) return following::other_bytes;
  const bool has_level = head.size() < header_size || (head[3] >= '1' && head[3] <= '9');
  return has_level ? following::broken_stream : following::other_bytes;
}

bool source_d::opens_at(std::uint64_t byte) {
  if (!has(byte + header_size + mark_bits / 8 - 1)) return false;
  const auto head = view(window_).substr(byte, header_size);
  if (head.substr(0, 3) != "BZh" || head[3] < '1' || head[3] > '9') return false;
  const auto first = read_bits(view(window_), 8 * (byte + header_size), mark_bits);
  return first == block_mark || first == end_mark;
}

// Whether the file has that byte, counted from the start of the window.
bool source_d::has(std::uint64_t byte) {
  while (byte >= window_.size())
    if (!fill()) return false;
  return true;
}

bool source_d::fill() {
  if (ended_) return false;
  const auto old = window_.size();
  window_.resize(old + piece);
  const auto got = in_.read(window_.data() + old, piece);
  window_.resize(old + got);
  ended_ = got < piece;
  return got > 0;
}

void source_d::fail(const char* what, std::uint64_t bit) const {
  throw error("'" + in_.path().string() + "' " + what + " at byte " + std::to_string(start_ + bit / 8));
}

packed_block decompress::operator()(packed_block b) {
  // Runs take less in a block than as text: room for a little more at once, for much more when it comes.
  b.text.resize(static_cast<std::size_t>(b.packed[header_size - 1] - '0') * 112'000);
  bz_stream stream{};
  memory_.lend_to(stream);
  constexpr int verbosity = 0, small = 0;
  if (BZ2_bzDecompressInit(&stream, verbosity, small) != BZ_OK) throw std::bad_alloc();
  stream.next_in = b.packed.data();
  stream.avail_in = static_cast<unsigned>(b.packed.size());
  std::size_t done = 0;
  int result = BZ_OK;
  for (;;) {
    stream.next_out = b.text.data() + done;
    stream.avail_out = static_cast<unsigned>(b.text.size() - done);
    result = BZ2_bzDecompress(&stream);
    done = b.text.size() - stream.avail_out;
    if (result != BZ_OK || stream.avail_out > 0) break;
    b.text.resize(2 * b.text.size());
  }
  BZ2_bzDecompressEnd(&stream);
  if (result == BZ_MEM_ERROR) throw std::bad_alloc();
  // What stops short of the end, or of the next mark, was not cut where the block ends.
  b.damaged = result != BZ_STREAM_END || stream.avail_in > 0;
  b.text.resize(b.damaged ? 0 : done);
  return b;
}

sink_d::sink_d(std::filesystem::path path, std::filesystem::path input)
    : out_(std::move(path)), input_(std::move(input)) {}

void sink_d::operator()(packed_block b) {
  check_order(out_.path(), "block", b.number, number_++);
  if (left_out_from_) return;
  if (damaged_) {
    const auto first = *std::exchange(damaged_, {});
    b.bit = first.bit;
    b.packed = stream_of_halves(view(first.packed), first.bits, view(b.packed), b.bits);
    b.bits += first.bits;
    b.opens_stream = first.opens_stream;
    b = decompress_(std::move(b));
  }
  if (!b.damaged) {
    keep(b);
  } else if ((b.stream_sum && b.follows == following::stream) || b.bits > most_bits) {
    fail(b);
  } else {
    damaged_ = std::move(b);
  }
}

void sink_d::keep(const packed_block& b) {
  out_.write(view(b.text));
  sum_ = with_block(b.opens_stream ? 0 : sum_, sum_of_block(view(b.packed)));
  in_stream_ = !b.stream_sum;
  if (!in_stream_ && *b.stream_sum != sum_)
    throw error("'" + input_.string() +
                "' is damaged: the check sum is wrong of the stream that ends with the block" + " at byte " +
                std::to_string(b.bit / 8));
  if (in_stream_ || b.follows == following::stream) return;
  const auto behind = behind_end(b.bit + b.bits) / 8;
  if (b.follows == following::broken_stream)
    throw error("'" + input_.string() + "' is truncated or damaged: no block follows the head of the stream" +
                " at byte " + std::to_string(behind));
  left_out_from_ = behind;
}

void sink_d::close() {
  if (damaged_) fail(*damaged_);
  if (in_stream_) throw error("'" + input_.string() + "' is truncated: the last blocks are missing");
  out_.close();
}

void sink_d::fail(const packed_block& b) const {
  throw error("'" + input_.string() + "' is damaged: the block at byte " + std::to_string(b.bit / 8) +
              " cannot be decompressed");
}

}  // namespace apps::bzip2
