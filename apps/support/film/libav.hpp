/// What libavformat, libavcodec and libswscale have allocated, freed by its owners.
#pragma once

#include <memory>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

namespace apps {

struct free_libav {
  void operator()(AVFormatContext* one) const { avformat_close_input(&one); }
  void operator()(AVIOContext* one) const {
    av_freep(&one->buffer);
    avio_context_free(&one);
  }
  void operator()(AVPacket* one) const { av_packet_free(&one); }
  void operator()(AVFrame* one) const { av_frame_free(&one); }
  void operator()(AVCodecContext* one) const { avcodec_free_context(&one); }
  void operator()(SwsContext* one) const { sws_freeContext(one); }
};
template <class T> using libav_owned = std::unique_ptr<T, free_libav>;

}  // namespace apps
