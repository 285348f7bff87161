#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace apps {

/// Width and height of a picture in pixels.
struct extent {
  int width = 0;
  int height = 0;
  bool operator==(const extent&) const = default;
};

/// What libjpeg-turbo has allocated, freed by its owner.
struct free_turbojpeg {
  void operator()(void* handle) const;
  void operator()(unsigned char* bytes) const;
};

/// Packs pictures as JPEG, through libjpeg-turbo: exact integer transforms and fixed Huffman tables, so that
/// a picture becomes the same bytes on every machine. One for each thread.
///
/// ```cpp
/// std::vector<std::uint8_t> grey(3 * 64 * 48, 128);
/// apps::jpeg_encoder encode(85);
/// const std::string_view packed = encode(grey.data(), {64, 48});
/// ```
class jpeg_encoder {
 public:
  /// `quality`: 1 to 100.
  explicit jpeg_encoder(int quality);
  /// `bgr`: blue, green and red of each pixel, line by line, 3 * width * height bytes. The result is good
  /// until the next call. \throws error  if libjpeg-turbo refuses
  std::string_view operator()(const std::uint8_t* bgr, extent size);

 private:
  std::unique_ptr<void, free_turbojpeg> handle_;
  std::unique_ptr<unsigned char, free_turbojpeg> packed_;
  unsigned long capacity_ = 0;
  int quality_;
};

/// Unpacks them. One for each thread.
class jpeg_decoder {
 public:
  jpeg_decoder();
  /// The size of a picture; nothing if it is no JPEG.
  std::optional<extent> size_of(std::string_view packed);
  /// Fills `bgr`, 3 * width * height bytes. False if the picture is damaged, cut off, or of another size.
  bool operator()(std::string_view packed, std::uint8_t* bgr, extent size);

 private:
  std::unique_ptr<void, free_turbojpeg> handle_;
};

}  // namespace apps
