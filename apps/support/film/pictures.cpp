#include "apps/support/film/pictures.hpp"

#include <cstring>
#include <new>
#include <string>

namespace apps {

film_pictures::film_pictures(film_packets& from)
    : from_(&from), frame_(av_frame_alloc()), converted_(av_frame_alloc()) {
  const auto& codec = from.codec();
  const auto* const known = avcodec_find_decoder(codec.codec_id);
  if (known == nullptr)
    from.fail(std::string("has pictures in '") + avcodec_get_name(codec.codec_id) +
              "', which libavcodec cannot decode");
  decoder_.reset(avcodec_alloc_context3(known));
  if (!decoder_ || !frame_ || !converted_ || avcodec_parameters_to_context(decoder_.get(), &codec) < 0)
    throw std::bad_alloc();
  // One thread, so that a source is one; and what is damaged is not made up for.
  decoder_->thread_count = 1;
  decoder_->err_recognition = AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE;
  decoder_->error_concealment = 0;
  if (avcodec_open2(decoder_.get(), known, nullptr) < 0)
    from.fail(std::string("has pictures in '") + known->name + "' that libavcodec cannot decode");
}

void film_pictures::damaged(const char* how) const {
  from_->fail_at_frame(how, given_ + 1);
}

bool film_pictures::next(std::uint8_t* bgr) {
  if (!receive()) return false;
  if (frame_->decode_error_flags != 0 || (frame_->flags & AV_FRAME_FLAG_CORRUPT) != 0) damaged("is damaged");
  const auto [width, height] = from_->format().size;
  if (frame_->width != width || frame_->height != height) damaged("has a picture of another size");
  convert(bgr);
  ++given_;
  return true;
}

// The next picture, which several packets may come before.
bool film_pictures::receive() {
  for (;;) {
    const int result = avcodec_receive_frame(decoder_.get(), frame_.get());
    if (result == 0) return true;
    if (result == AVERROR_EOF) return false;
    if (result != AVERROR(EAGAIN)) damaged("is damaged");
    const int sent = avcodec_send_packet(decoder_.get(), from_->next());  // null: there are no more
    if (sent < 0 && sent != AVERROR_EOF) damaged("is damaged");
  }
}

void film_pictures::convert(std::uint8_t* bgr) {
  const auto [width, height] = from_->format().size;
  // Exact, so that a film has the same pictures on every machine.
  constexpr int exactly = SWS_BICUBIC | SWS_BITEXACT | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT;
  scaler_.reset(sws_getCachedContext(scaler_.release(), width, height,
                                     static_cast<AVPixelFormat>(frame_->format), width, height,
                                     AV_PIX_FMT_BGR24, exactly, nullptr, nullptr, nullptr));
  if (!scaler_) damaged("has a picture in unknown colours");
  const int* const matrix = sws_getCoefficients(frame_->colorspace);
  sws_setColorspaceDetails(scaler_.get(), matrix, frame_->color_range == AVCOL_RANGE_JPEG ? 1 : 0,
                           sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
  // libswscale may write beyond the end of a line.
  if (converted_->data[0] == nullptr) {
    converted_->format = AV_PIX_FMT_BGR24;
    converted_->width = width;
    converted_->height = height;
    if (av_frame_get_buffer(converted_.get(), 0) < 0) throw std::bad_alloc();
  }
  if (sws_scale(scaler_.get(), frame_->data, frame_->linesize, 0, height, converted_->data,
                converted_->linesize) != height)
    damaged("cannot be shown");
  const auto line = 3 * static_cast<std::size_t>(width);
  for (int y = 0; y < height; ++y)
    std::memcpy(bgr + static_cast<std::size_t>(y) * line,
                converted_->data[0] + static_cast<std::ptrdiff_t>(y) * converted_->linesize[0], line);
}

}  // namespace apps
