/// Films as other programs make them: of any codec and in any container that libavformat knows.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "apps/support/film/film.hpp"
#include "apps/support/film/libav.hpp"

/// How a film is made. `pixels`: how libav names them.
struct film_recipe {
  std::string codec = "mpeg4";
  std::string pixels = "yuv420p";
  std::string container = "mp4";
  apps::film_format format{.size = {64, 48}, .rate = 24, .scale = 1};
  int frames = 6;
};

inline bool can_be_made(const film_recipe& how) {
  return avcodec_find_encoder_by_name(how.codec.c_str()) != nullptr;
}

/// Writes a film; `draw(number)` gives blue, green and red of each pixel. Throws where libav cannot.
inline void make_film(const std::filesystem::path& file, const film_recipe& how,
                      const std::function<std::vector<std::uint8_t>(int)>& draw) {
  const auto checked = [](int result) {
    if (result < 0) throw std::runtime_error("libav cannot make the film");
  };
  AVFormatContext* made = nullptr;
  checked(avformat_alloc_output_context2(&made, nullptr, how.container.c_str(), file.c_str()));
  const auto free_output = [](AVFormatContext* one) {
    if (one->pb != nullptr) avio_closep(&one->pb);
    avformat_free_context(one);
  };
  const std::unique_ptr<AVFormatContext, decltype(free_output)> film(made, free_output);
  const auto* const known = avcodec_find_encoder_by_name(how.codec.c_str());
  const apps::libav_owned<AVCodecContext> encoder(avcodec_alloc_context3(known));
  const auto [width, height] = how.format.size;
  encoder->width = width;
  encoder->height = height;
  encoder->pix_fmt = av_get_pix_fmt(how.pixels.c_str());
  encoder->time_base = {static_cast<int>(how.format.scale), static_cast<int>(how.format.rate)};
  encoder->framerate = av_inv_q(encoder->time_base);
  encoder->thread_count = 1;
  encoder->flags |= AV_CODEC_FLAG_QSCALE;
  encoder->global_quality = 2 * FF_QP2LAMBDA;
  encoder->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
  if ((film->oformat->flags & AVFMT_GLOBALHEADER) != 0) encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  checked(avcodec_open2(encoder.get(), known, nullptr));
  auto* const stream = avformat_new_stream(film.get(), nullptr);
  stream->time_base = encoder->time_base;
  stream->avg_frame_rate = encoder->framerate;
  checked(avcodec_parameters_from_context(stream->codecpar, encoder.get()));
  checked(avio_open(&film->pb, file.c_str(), AVIO_FLAG_WRITE));
  checked(avformat_write_header(film.get(), nullptr));

  const apps::libav_owned<AVPacket> packet(av_packet_alloc());
  const apps::libav_owned<AVFrame> frame(av_frame_alloc());
  const apps::libav_owned<SwsContext> scaler(sws_getContext(width, height, AV_PIX_FMT_BGR24, width, height,
                                                            encoder->pix_fmt, SWS_BICUBIC, nullptr, nullptr,
                                                            nullptr));
  frame->format = encoder->pix_fmt;
  frame->width = width;
  frame->height = height;
  checked(av_frame_get_buffer(frame.get(), 0));
  const auto encode = [&](const AVFrame* one) {
    checked(avcodec_send_frame(encoder.get(), one));
    while (avcodec_receive_packet(encoder.get(), packet.get()) == 0) {
      av_packet_rescale_ts(packet.get(), encoder->time_base, stream->time_base);
      if (packet->duration == 0) packet->duration = av_rescale_q(1, encoder->time_base, stream->time_base);
      checked(av_interleaved_write_frame(film.get(), packet.get()));
    }
  };
  for (int i = 0; i < how.frames; ++i) {
    const auto bgr = draw(i);
    const std::uint8_t* const lines[] = {bgr.data()};
    const int lengths[] = {3 * width};
    checked(av_frame_make_writable(frame.get()));
    sws_scale(scaler.get(), lines, lengths, 0, height, frame->data, frame->linesize);
    frame->pts = i;
    encode(frame.get());
  }
  encode(nullptr);
  checked(av_write_trailer(film.get()));
}
