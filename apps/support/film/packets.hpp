#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <string>
#include <variant>

#include "apps/support/bytes.hpp"
#include "apps/support/files.hpp"
#include "apps/support/film/film.hpp"
#include "apps/support/film/libav.hpp"
#include "apps/support/input_held.hpp"

namespace apps {

/// Takes the file of a film apart, whatever of the usual kinds it is, by libavformat. It opens no other file
/// and no connection, whatever the film refers to. Errors are `apps::error`s that name the file, and the
/// frame if it is one.
class film_packets {
 public:
  film_packets(std::filesystem::path file, input_held held);
  [[nodiscard]] const film_format& format() const { return format_; }
  /// As the head of the file tells; 0: it does not.
  [[nodiscard]] std::uint32_t frames() const { return frames_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const AVCodecParameters& codec() const { return *stream_->codecpar; }
  [[nodiscard]] bool is_jpeg() const { return codec().codec_id == AV_CODEC_ID_MJPEG; }

  /// The next packet of the film's pictures, good until the next call; null behind the last.
  const AVPacket* next();
  /// How many frames the camera has dropped before that packet: it has left them empty, which stands for the
  /// one before.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  [[noreturn]] void fail(const std::string& what) const;
  /// `number`: from 1 on.
  [[noreturn]] void fail_at_frame(const std::string& what, std::uint64_t number) const;

 private:
  static int read(void* self, std::uint8_t* to, int size);
  static std::int64_t seek(void* self, std::int64_t offset, int from);
  std::size_t read_some(char* to, std::size_t size);
  void rethrow();
  void open();
  void find_pictures();
  [[nodiscard]] bool ends_early() const;

  std::filesystem::path path_;
  std::variant<input_file, bytes> from_;  // the file, or all that was in it
  std::uint64_t at_ = 0;
  bool any_read_ = false;
  std::exception_ptr wrong_;  // what libavformat cannot let pass
  libav_owned<AVIOContext> io_;
  libav_owned<AVFormatContext> film_;
  libav_owned<AVPacket> packet_;
  AVStream* stream_ = nullptr;
  film_format format_;
  std::uint32_t frames_ = 0;
  double told_seconds_ = 0;  // how long the film should be; 0: it is not known
  double seconds_ = 0;       // how long what has come is
  std::uint64_t came_ = 0;   // frames, those that were dropped among them
  std::uint64_t dropped_ = 0;
  bool counts_frames_ = false;  // times are numbers of frames
};

}  // namespace apps
