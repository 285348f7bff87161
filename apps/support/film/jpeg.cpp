#include "apps/support/film/jpeg.hpp"

#include <string>

#include <turbojpeg.h>

#include "apps/support/error.hpp"

namespace apps {
namespace {

const unsigned char* start_of(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

void free_turbojpeg::operator()(void* handle) const {
  tjDestroy(handle);
}
void free_turbojpeg::operator()(unsigned char* bytes) const {
  tjFree(bytes);
}

jpeg_encoder::jpeg_encoder(int quality) : handle_(tjInitCompress()), quality_(quality) {
  if (!handle_) throw error(std::string("libjpeg-turbo cannot encode: ") + tjGetErrorStr2(nullptr));
}

std::string_view jpeg_encoder::operator()(const std::uint8_t* bgr, extent size) {
  // Space for the largest picture of this size is held, so that libjpeg-turbo allocates none.
  const auto most = tjBufSize(size.width, size.height, TJSAMP_420);
  if (most != static_cast<unsigned long>(-1) && most > capacity_) {
    packed_.reset(tjAlloc(static_cast<int>(most)));
    capacity_ = packed_ ? most : 0;
  }
  auto* to = packed_.get();
  auto packed = capacity_;
  if (tjCompress2(handle_.get(), bgr, size.width, 0, size.height, TJPF_BGR, &to, &packed, TJSAMP_420,
                  quality_, TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT) != 0)
    throw error("libjpeg-turbo cannot encode a picture of " + std::to_string(size.width) + "x" +
                std::to_string(size.height) + " pixels: " + tjGetErrorStr2(handle_.get()));
  return {reinterpret_cast<const char*>(to), packed};
}

jpeg_decoder::jpeg_decoder() : handle_(tjInitDecompress()) {
  if (!handle_) throw error(std::string("libjpeg-turbo cannot decode: ") + tjGetErrorStr2(nullptr));
}

std::optional<extent> jpeg_decoder::size_of(std::string_view packed) {
  extent size;
  int samples = 0, colours = 0;
  if (tjDecompressHeader3(handle_.get(), start_of(packed), packed.size(), &size.width, &size.height, &samples,
                          &colours) != 0)
    return std::nullopt;
  // JPEG data may have tables and no picture, which libjpeg-turbo takes for good.
  if (size.width < 1 || size.height < 1) return std::nullopt;
  return size;
}

bool jpeg_decoder::operator()(std::string_view packed, std::uint8_t* bgr, extent size) {
  return size_of(packed) == size &&
         tjDecompress2(handle_.get(), start_of(packed), packed.size(), bgr, size.width, 0, size.height,
                       TJPF_BGR, TJFLAG_ACCURATEDCT) == 0;
}

}  // namespace apps
