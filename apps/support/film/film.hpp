/// Films. Any that libavformat and libavcodec know are read. They are written as Motion JPEG in AVI files:
/// each picture stands by itself, so that frames can be compared bit by bit, and about every player and
/// library reads the files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/support/bytes.hpp"
#include "apps/support/files.hpp"
#include "apps/support/film/jpeg.hpp"
#include "apps/support/input_held.hpp"

namespace apps {

/// What is true of all frames of a film. `rate` divided by `scale` is the number of frames in a second.
struct film_format {
  extent size;
  std::uint32_t rate = 30;
  std::uint32_t scale = 1;
  [[nodiscard]] std::size_t bytes_per_frame() const {
    return 3 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  }
};

/// Pixels that a side of a film's pictures may have.
inline constexpr int most_film_side = 16'384;

/// Of the pictures of a film: what is lost is hardly seen.
inline constexpr int film_quality = 80;

class film_packets;
class film_pictures;

/// Reads a film frame by frame, whatever of the usual kinds it is. Pictures in JPEG are decoded by
/// libjpeg-turbo, as they were packed. Errors are `apps::error`s that name the file, and the frame if it is
/// one.
///
/// ```cpp
/// apps::film_reader film("road.avi");
/// std::vector<std::uint8_t> bgr(film.format().bytes_per_frame());
/// while (film.next(bgr.data())) show(bgr);
/// ```
class film_reader {
 public:
  /// `in_memory`: what is in the file is held, packed as it is.
  explicit film_reader(std::filesystem::path file, input_held held = input_held::on_disk);
  film_reader(film_reader&&) noexcept;
  ~film_reader();
  [[nodiscard]] const film_format& format() const;
  /// As the head of the file tells, which may not know them (0), or too few.
  [[nodiscard]] std::uint32_t frames() const;
  [[nodiscard]] const std::filesystem::path& path() const;
  /// Fills the blue, green and red of each pixel of the next frame; false behind the last.
  bool next(std::uint8_t* bgr);
  /// The next frame as JPEG, good until the next call; empty behind the last. \throws error  if the film has
  /// other pictures
  std::string_view next_packed();

 private:
  std::unique_ptr<film_packets> packets_;
  std::unique_ptr<film_pictures> pictures_;  // null: they are JPEG
  jpeg_decoder decode_;
  bytes packed_;
  bytes ahead_;                // behind frames that the camera has dropped
  std::uint64_t repeats_ = 0;  // how often `packed_` comes again
  std::uint64_t given_ = 0;
};

/// What the file of a film has beside its pictures, as `film_writer` writes it. The offset of each frame has
/// 32 bits, so there is no room for more than 4 GB.
class film_layout {
 public:
  explicit film_layout(film_format format) : format_(format) {}
  /// Whether there is room for a frame of so many bytes.
  [[nodiscard]] bool has_room_for(std::size_t size) const;
  void add(std::size_t size);
  /// Of the frames, in bytes.
  [[nodiscard]] const std::vector<std::uint32_t>& sizes() const { return sizes_; }
  [[nodiscard]] const film_format& format() const { return format_; }

  /// What stands before all frames, before a frame, behind it, and behind all.
  [[nodiscard]] std::string header() const;
  static std::string before(std::uint32_t size);
  static std::string behind(std::uint32_t size) { return std::string(size % 2, '\0'); }
  [[nodiscard]] std::string index() const;

 private:
  film_format format_;
  std::vector<std::uint32_t> sizes_;
  std::uint64_t frames_end_ = 0;  // from the first frame on
};

/// What is wrong with the file of a film, its pictures apart, if it is none that `film_writer` has written;
/// empty if it is one. \throws error  naming the file, if it cannot be read as a film
std::string wrong_layout(const std::filesystem::path& file);

/// Writes a film. The file's name is given to it at `close`. Errors are `apps::error`s that name the file.
///
/// ```cpp
/// apps::film_writer film("lanes.avi", {.size = {640, 360}});
/// film.add(bgr.data());
/// film.close();
/// ```
class film_writer {
 public:
  film_writer(std::filesystem::path file, film_format format, int quality = film_quality);
  /// `bgr`: `format().bytes_per_frame()` bytes.
  void add(const std::uint8_t* bgr);
  /// A frame as it is packed in another film, from `film_reader::next_packed`.
  void add_packed(std::string_view jpeg);
  /// A film without frames is an error.
  void close();
  [[nodiscard]] const film_format& format() const { return layout_.format(); }
  [[nodiscard]] std::uint32_t frames() const { return static_cast<std::uint32_t>(layout_.sizes().size()); }
  [[nodiscard]] const std::filesystem::path& path() const { return out_.path(); }

 private:
  output_file out_;
  film_layout layout_;
  jpeg_encoder encode_;
};

}  // namespace apps
