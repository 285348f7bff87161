#include "apps/dedup/pack.hpp"

#include <new>

#include <zlib.h>

#include "apps/support/error.hpp"

namespace apps::dedup {
namespace {

// zlib only reads it.
Bytef* input(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

}  // namespace

void packer::end::operator()(z_stream_s* stream) const {
  deflateEnd(stream);
  delete stream;
}

packer::packer() : stream_(new z_stream{}) {
  if (deflateInit(stream_.get(), Z_DEFAULT_COMPRESSION) != Z_OK) throw std::bad_alloc();
}

bytes packer::operator()(std::string_view text) {
  auto& stream = *stream_;
  deflateReset(&stream);
  room_.resize(deflateBound(&stream, text.size()));
  stream.next_in = input(text);
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(room_.data());
  stream.avail_out = static_cast<uInt>(room_.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw error("zlib cannot compress");
  // As small as can be: it may have to wait for what is before it.
  return {room_.begin(), room_.end() - stream.avail_out};
}

void unpacker::end::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

unpacker::unpacker() : stream_(new z_stream{}) {
  if (inflateInit(stream_.get()) != Z_OK) throw std::bad_alloc();
}

bool unpacker::operator()(std::string_view packed, bytes& text) {
  auto& stream = *stream_;
  inflateReset(&stream);
  stream.next_in = input(packed);
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  return inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
}

}  // namespace apps::dedup
