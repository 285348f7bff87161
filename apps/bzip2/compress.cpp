#include <new>
#include <string>
#include <utility>

#include "apps/bzip2/bits.hpp"
#include "apps/bzip2/bzip2.hpp"
#include "apps/support/error.hpp"
#include "apps/support/order.hpp"

namespace apps::bzip2 {

source::source(std::filesystem::path path, input_held held) : in_(std::move(path)) {
  if (held == input_held::on_disk) return;
  while (auto b = read()) held_.push_back(std::move(*b));
}

std::optional<block> source::operator()() {
  if (held_.empty()) return read();
  auto b = std::move(held_.front());
  held_.pop_front();
  return b;
}

std::optional<block> source::read() {
  block b{number_, bytes(block_size)};
  b.data.resize(in_.read(b.data.data(), block_size));
  if (b.data.empty()) return std::nullopt;
  ++number_;
  return b;
}

block compress::operator()(block b) {
  constexpr int level = 9, verbosity = 0, work_factor = 0;    // 0: the library's own
  packed_.resize(b.data.size() + b.data.size() / 100 + 600);  // libbz2 never needs more
  bz_stream stream{};
  memory_.lend_to(stream);
  if (BZ2_bzCompressInit(&stream, level, verbosity, work_factor) != BZ_OK) throw std::bad_alloc();
  stream.next_in = b.data.data();
  stream.avail_in = static_cast<unsigned>(b.data.size());
  stream.next_out = packed_.data();
  stream.avail_out = static_cast<unsigned>(packed_.size());
  const int result = BZ2_bzCompress(&stream, BZ_FINISH);
  BZ2_bzCompressEnd(&stream);
  if (result != BZ_STREAM_END) throw error("libbz2 cannot compress: error " + std::to_string(result));
  // As small as can be: it may have to wait for the blocks before it.
  b.data = bytes(packed_.begin(), packed_.end() - stream.avail_out);
  return b;
}

sink::sink(std::filesystem::path path) : out_(std::move(path)) {}

void sink::operator()(const block& b) {
  check_order(out_.path(), "block", b.number, number_++);
  out_.write(view(b.data));
}

void sink::close() {
  if (number_ == 0) out_.write(view(stream_of_nothing()));
  out_.close();
}

}  // namespace apps::bzip2
