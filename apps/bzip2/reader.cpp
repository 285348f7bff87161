#include "apps/bzip2/reader.hpp"

#include <new>
#include <tuple>
#include <utility>

#include "apps/support/error.hpp"

namespace apps::bzip2 {

reader::reader(std::filesystem::path path) : in_(std::move(path)), packed_(std::size_t{256} << 10U) {
  if (!fill()) throw error("'" + in_.path().string() + "' is empty");
  open_stream();
}

void reader::open_stream() {
  auto next = std::pair(stream_.next_in, stream_.avail_in);
  BZ2_bzDecompressEnd(&stream_);
  stream_ = {};
  memory_.lend_to(stream_);
  if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  std::tie(stream_.next_in, stream_.avail_in) = next;
  in_stream_ = true;
}

bool reader::fill() {
  stream_.next_in = packed_.data();
  stream_.avail_in = static_cast<unsigned>(in_.read(packed_.data(), packed_.size()));
  return stream_.avail_in > 0;
}

std::size_t reader::read(char* to, std::size_t size) {
  stream_.next_out = to;
  stream_.avail_out = static_cast<unsigned>(size);
  while (stream_.avail_out > 0 && !over_) {
    const bool ended = stream_.avail_in == 0 && !fill();
    if (!in_stream_) {
      if (ended) break;
      const auto out = std::pair(stream_.next_out, stream_.avail_out);
      open_stream();
      std::tie(stream_.next_out, stream_.avail_out) = out;
    }
    const auto room = stream_.avail_out;
    const int result = BZ2_bzDecompress(&stream_);
    if (result == BZ_MEM_ERROR) throw std::bad_alloc();
    over_ = result == BZ_DATA_ERROR_MAGIC && behind_a_stream_;
    if (over_) break;
    if (result != BZ_OK && result != BZ_STREAM_END) throw error("'" + in_.path().string() + "' is damaged");
    // At the end of the file libbz2 may still hold text.
    if (ended && result == BZ_OK && stream_.avail_out == room)
      throw error("'" + in_.path().string() + "' is truncated");
    in_stream_ = result == BZ_OK;
    behind_a_stream_ = behind_a_stream_ || !in_stream_;
  }
  return size - stream_.avail_out;
}

}  // namespace apps::bzip2
