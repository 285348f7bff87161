#pragma once

#include <cstdint>

#include "apps/support/film/libav.hpp"
#include "apps/support/film/packets.hpp"

namespace apps {

/// Decodes the pictures of a film that are not JPEG, by libavcodec, on the thread that asks. Errors are
/// `apps::error`s that name file and frame.
class film_pictures {
 public:
  /// `from` must outlive it.
  explicit film_pictures(film_packets& from);
  /// Fills the blue, green and red of each pixel of the next picture; false behind the last.
  bool next(std::uint8_t* bgr);

 private:
  bool receive();
  void convert(std::uint8_t* bgr);
  [[noreturn]] void damaged(const char* how) const;

  film_packets* from_;
  libav_owned<AVCodecContext> decoder_;
  libav_owned<AVFrame> frame_, converted_;
  libav_owned<SwsContext> scaler_;
  std::uint64_t given_ = 0;
};

}  // namespace apps
