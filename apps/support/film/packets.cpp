#include "apps/support/film/packets.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

extern "C" {
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/log.h>
}

#include "apps/support/error.hpp"

namespace apps {
namespace {

// Files of pictures in one piece: no lists of other files, and nothing that is text.
constexpr const char* kinds = "avi,mov,mp4,matroska,webm,mpegts,mpeg,flv,ogg,asf,h264,hevc,m4v,ivf,mjpeg";

constexpr std::size_t buffer_size = std::size_t{64} << 10U;

std::string message_of(int wrong) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(wrong, text.data(), text.size());
  return text.data();
}

struct free_dictionary {
  AVDictionary* entries = nullptr;
  ~free_dictionary() { av_dict_free(&entries); }
};

// Whether it is the head of the film that tells how long it is, which may be how long its sound is.
bool told_in_head(const AVFormatContext& film) {
  return film.nb_streams == 1 && film.duration > 0 &&
         film.duration_estimation_method == AVFMT_DURATION_FROM_STREAM;
}

// How long the pictures are, as Matroska has it: hours:minutes:seconds.
std::optional<double> seconds_in(const AVDictionary* notes) {
  const auto* const found = av_dict_get(notes, "DURATION", nullptr, 0);
  int hours = 0, minutes = 0;
  double seconds = 0;
  if (found == nullptr || std::sscanf(found->value, "%d:%d:%lf", &hours, &minutes, &seconds) != 3)
    return std::nullopt;
  return 3600.0 * hours + 60.0 * minutes + seconds;
}

int open_nothing(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EPERM);
}

}  // namespace

film_packets::film_packets(std::filesystem::path file, input_held held)
    : path_(std::move(file)), from_(std::in_place_type<input_file>, path_), packet_(av_packet_alloc()) {
  if (held == input_held::in_memory) from_ = read_file(path_);
  static const bool quiet = (av_log_set_level(AV_LOG_QUIET), true);
  static_cast<void>(quiet);
  if (!packet_) throw std::bad_alloc();
  open();
  find_pictures();
}

void film_packets::fail(const std::string& what) const {
  throw error("'" + path_.string() + "' " + what);
}

void film_packets::fail_at_frame(const std::string& what, std::uint64_t number) const {
  fail(what + " at frame " + std::to_string(number) +
       (frames_ < number ? "" : " of " + std::to_string(frames_)));
}

// No exception may pass through libavformat.
int film_packets::read(void* self, std::uint8_t* to, int size) {
  auto& mine = *static_cast<film_packets*>(self);
  try {
    const auto got = mine.read_some(reinterpret_cast<char*>(to), static_cast<std::size_t>(size));
    return got == 0 ? AVERROR_EOF : static_cast<int>(got);
  } catch (...) {
    mine.wrong_ = std::current_exception();
    return AVERROR_EXTERNAL;
  }
}

std::size_t film_packets::read_some(char* to, std::size_t size) {
  std::size_t got = 0;
  if (auto* const file = std::get_if<input_file>(&from_)) {
    got = file->read(to, size);
  } else {
    const auto& all = std::get<bytes>(from_);
    got = at_ < all.size() ? std::min(size, all.size() - at_) : 0;
    if (got > 0) std::memcpy(to, all.data() + at_, got);
  }
  at_ += got;
  any_read_ = any_read_ || got > 0;
  return got;
}

std::int64_t film_packets::seek(void* self, std::int64_t offset, int from) {
  auto& mine = *static_cast<film_packets*>(self);
  auto* const file = std::get_if<input_file>(&mine.from_);
  const auto size =
      static_cast<std::int64_t>(file != nullptr ? file->size() : std::get<bytes>(mine.from_).size());
  switch (from & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE:
      return size;
    case SEEK_CUR:
      offset += static_cast<std::int64_t>(mine.at_);
      break;
    case SEEK_END:
      offset += size;
      break;
    default:
      break;
  }
  if (offset < 0) return AVERROR(EINVAL);
  try {
    if (file != nullptr) file->seek(static_cast<std::uint64_t>(offset));
  } catch (...) {
    mine.wrong_ = std::current_exception();
    return AVERROR_EXTERNAL;
  }
  mine.at_ = static_cast<std::uint64_t>(offset);
  return offset;
}

void film_packets::rethrow() {
  if (wrong_) std::rethrow_exception(std::exchange(wrong_, nullptr));
}

void film_packets::open() {
  auto* const buffer = static_cast<unsigned char*>(av_malloc(buffer_size));
  const auto* const file = std::get_if<input_file>(&from_);
  const bool seeks = file == nullptr || file->can_seek();
  io_.reset(buffer == nullptr
                ? nullptr
                : avio_alloc_context(buffer, buffer_size, 0, this, read, nullptr, seeks ? seek : nullptr));
  if (!io_) {
    av_free(buffer);
    throw std::bad_alloc();
  }
  auto* film = avformat_alloc_context();
  if (film == nullptr) throw std::bad_alloc();
  film->pb = io_.get();
  film->io_open = open_nothing;
  free_dictionary options;
  av_dict_set(&options.entries, "format_whitelist", kinds, 0);
  const int result =
      avformat_open_input(&film, path_.c_str(), nullptr, &options.entries);  // frees it if it fails
  rethrow();
  if (!any_read_) fail("is empty");
  if (result < 0) fail("is no film that can be read: " + message_of(result));
  film_.reset(film);
}

void film_packets::find_pictures() {
  const int found = avformat_find_stream_info(film_.get(), nullptr);
  rethrow();
  const int number =
      found < 0 ? found : av_find_best_stream(film_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (number < 0) fail("has no pictures");
  for (unsigned i = 0; i < film_->nb_streams; ++i)
    if (static_cast<int>(i) != number) film_->streams[i]->discard = AVDISCARD_ALL;
  stream_ = film_->streams[number];
  counts_frames_ = std::string_view(film_->iformat->name) == "avi";
  format_.size = {codec().width, codec().height};
  const auto [width, height] = format_.size;
  if (width < 1 || height < 1 || width > most_film_side || height > most_film_side)
    fail("is damaged: its pictures are " + std::to_string(width) + " x " + std::to_string(height));
  const auto rate = av_guess_frame_rate(film_.get(), stream_, nullptr);
  if (rate.num < 1 || rate.den < 1) fail("is damaged: it has no rate of frames");
  format_.rate = static_cast<std::uint32_t>(rate.num);
  format_.scale = static_cast<std::uint32_t>(rate.den);
  if (told_in_head(*film_)) told_seconds_ = static_cast<double>(film_->duration) / AV_TIME_BASE;
  if (const auto own = seconds_in(stream_->metadata)) told_seconds_ = *own;
  frames_ = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(stream_->nb_frames, 0, std::numeric_limits<std::uint32_t>::max()));
}

// Whether the head of the file tells of more than there is.
bool film_packets::ends_early() const {
  if (frames_ > 0) return came_ < frames_;
  const double frame = static_cast<double>(format_.scale) / format_.rate;
  constexpr double rounded = 0.1;
  return seconds_ + 1.5 * frame + rounded < told_seconds_;
}

const AVPacket* film_packets::next() {
  for (;;) {
    av_packet_unref(packet_.get());
    const int result = av_read_frame(film_.get(), packet_.get());
    rethrow();
    if (result == AVERROR_EOF) {
      if (ends_early()) fail_at_frame("is cut off", came_ + 1);
      if (came_ == 0) fail("has no frames");
      return nullptr;
    }
    if (result < 0) fail_at_frame("is damaged (" + message_of(result) + ")", came_ + 1);
    if (packet_->stream_index != stream_->index || packet_->size == 0) continue;
    if ((packet_->flags & AV_PKT_FLAG_CORRUPT) != 0) fail_at_frame("is cut off", came_ + 1);
    const auto number = counts_frames_ && packet_->dts > 0 ? static_cast<std::uint64_t>(packet_->dts) : 0;
    dropped_ = number > came_ ? number - came_ : 0;
    came_ += dropped_ + 1;
    if (packet_->pts != AV_NOPTS_VALUE)
      seconds_ = std::max(seconds_,
                          static_cast<double>(packet_->pts + packet_->duration) * av_q2d(stream_->time_base));
    return packet_.get();
  }
}

}  // namespace apps
