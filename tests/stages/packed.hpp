#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <zlib.h>
#if THALWEG_TEST_ZSTD
#include <zstd.h>
#endif

/// Compressed by zlib and libzstd themselves: what other programs write.
namespace packed {

inline std::string gzip(const std::string& text, int level = Z_DEFAULT_COMPRESSION) {
  z_stream state{};
  if (::deflateInit2(&state, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string made(::deflateBound(&state, text.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(made.data());
  state.avail_out = static_cast<uInt>(made.size());
  const bool whole = ::deflate(&state, Z_FINISH) == Z_STREAM_END;
  made.resize(made.size() - state.avail_out);
  ::deflateEnd(&state);
  if (!whole) throw std::runtime_error("deflate");
  return made;
}

#if THALWEG_TEST_ZSTD
inline std::string zstd(const std::string& text, int level = 3) {
  std::string made(::ZSTD_compressBound(text.size()), '\0');
  const auto size = ::ZSTD_compress(made.data(), made.size(), text.data(), text.size(), level);
  if (::ZSTD_isError(size) != 0U) throw std::runtime_error(::ZSTD_getErrorName(size));
  made.resize(size);
  return made;
}
#endif

/// Each way there is, by its name and by the ending of its files.
struct way {
  std::string name;
  std::string ending;
  std::string (*pack)(const std::string& text);
};
inline std::vector<way> ways() {
  std::vector<way> all{{"gzip", ".gz", [](const std::string& text) { return gzip(text); }}};
#if THALWEG_TEST_ZSTD
  all.push_back({"zstd", ".zst", [](const std::string& text) { return zstd(text); }});
#endif
  return all;
}

}  // namespace packed
