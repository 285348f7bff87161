#pragma once

#include <memory>
#include <string_view>

#include "apps/support/bytes.hpp"

struct z_stream_s;  // zlib's z_stream

namespace apps::dedup {

/// Packs pieces of bytes, each by itself, as zlib streams (RFC 1950). Its memory serves for all of them. One
/// for each thread.
///
/// ```cpp
/// apps::dedup::packer pack;
/// apps::dedup::unpacker unpack;
/// const apps::bytes packed = pack("to be or not to be");
/// apps::bytes text(18);
/// const bool good = unpack(apps::view(packed), text);
/// ```
class packer {
 public:
  packer();
  bytes operator()(std::string_view text);

 private:
  struct end {
    void operator()(z_stream_s* stream) const;
  };
  std::unique_ptr<z_stream_s, end> stream_;
  bytes room_;
};

/// Unpacks them. One for each thread.
class unpacker {
 public:
  unpacker();
  /// Fills `text`; false unless `packed` is just one stream, undamaged, of so many bytes.
  bool operator()(std::string_view packed, bytes& text);

 private:
  struct end {
    void operator()(z_stream_s* stream) const;
  };
  std::unique_ptr<z_stream_s, end> stream_;
};

}  // namespace apps::dedup
