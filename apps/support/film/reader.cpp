// The layout of AVI files: Microsoft, AVI RIFF File Reference (version 1.0 of the format).
#include <algorithm>
#include <cctype>
#include <utility>

#include "apps/support/error.hpp"
#include "apps/support/film/film.hpp"
#include "apps/support/numbers.hpp"

namespace apps {
namespace {

constexpr std::size_t chunk_head = 8, list_head = 12;
constexpr std::size_t most_per_frame = std::size_t{1} << 28;

bool is_motion_jpeg(std::string_view codec) {
  return std::ranges::equal(codec, std::string_view("MJPG"), {},
                            [](char c) { return std::toupper(static_cast<unsigned char>(c)); });
}

}  // namespace

/// A chunk of the file, or the head of a list of chunks. It ends at `end`, padded to an even offset.
struct film_reader::chunk {
  std::string id;
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t padded_end() const { return end + end % 2; }
};

film_reader::film_reader(std::filesystem::path file, input_held held) : in_(std::move(file)) {
  read_header();
  if (held == input_held::in_memory) read_all();
}

void film_reader::fail(const std::string& what) const {
  throw error("'" + in_.path().string() + "' " + what);
}

void film_reader::fail_at_frame(const char* what) const {
  fail(std::string(what) + " at frame " + std::to_string(read_ + 1) + " of " + std::to_string(frames_));
}

void film_reader::take(char* to, std::size_t size) {
  if (in_.read(to, size) < size) {
    if (frames_ == 0) fail("is cut off");
    fail_at_frame("is cut off");
  }
  at_ += size;
}

void film_reader::skip_to(std::uint64_t offset) {
  char ignored[4096];
  while (at_ < offset) take(ignored, std::min<std::uint64_t>(offset - at_, sizeof ignored));
}

// The next chunk before `end`, which must have one.
film_reader::chunk film_reader::next_chunk(std::uint64_t end) {
  char head[chunk_head];
  take(head, chunk_head);
  chunk found{.id = std::string(head, 4), .end = at_ + number_at<std::uint32_t>(head + 4)};
  if (found.id == "LIST") {
    char kind[4];
    take(kind, 4);
    found.id.append("/").append(kind, 4);
  }
  if (found.end > end || found.end < at_) fail("is damaged: its chunk '" + found.id + "' is too large");
  return found;
}

void film_reader::read_header() {
  std::string head(list_head, '\0');
  const auto got = in_.read(head.data(), list_head);
  if (got == 0) fail("is empty");
  if (got < list_head || !head.starts_with("RIFF") || head.substr(8) != "AVI ")
    fail("is no AVI film; made into one: ffmpeg -i IN -an -c:v mjpeg -q:v 3 OUT.avi");
  at_ = list_head;
  const auto end = chunk_head + std::uint64_t{number_at<std::uint32_t>(&head[4])};
  for (;;) {
    if (at_ + chunk_head > end) fail("has no frames");
    const auto part = next_chunk(end);
    if (part.id == "LIST/movi") {
      if (frame_id_.empty()) fail("has no pictures in Motion JPEG");
      end_ = part.end;
      break;
    }
    if (part.id == "LIST/hdrl") continue;  // its chunks come next
    if (part.id == "LIST/strl" && frame_id_.empty())
      read_stream(part.end);
    else
      skip_to(part.padded_end());
  }
  if (frames_ == 0) fail("has no frames");
}

void film_reader::read_stream(std::uint64_t end) {
  constexpr std::size_t header_size = 48, size_of_format = 20;
  const auto number = streams_++;
  bool shows = false;
  while (at_ + chunk_head <= end) {
    const auto part = next_chunk(end);
    const auto size = part.end - at_;
    char body[header_size];
    if (part.id == "strh" && size >= header_size) {
      take(body, header_size);
      shows = std::string_view(body, 4) == "vids";
      if (shows) {
        format_.scale = number_at<std::uint32_t>(body + 20);
        format_.rate = number_at<std::uint32_t>(body + 24);
        frames_ = number_at<std::uint32_t>(body + 32);
      }
    } else if (part.id == "strf" && shows && size >= size_of_format) {
      take(body, size_of_format);
      const std::string codec(body + 16, 4);
      if (!is_motion_jpeg(codec))
        fail("has pictures in '" + codec +
             "', not in Motion JPEG; made into such: ffmpeg -i IN -an -c:v mjpeg -q:v 3 OUT.avi");
      format_.size = {number_at<std::int32_t>(body + 4), number_at<std::int32_t>(body + 8)};
      frame_id_ = std::to_string(100 + number).substr(1) + "dc";
    }
    skip_to(part.padded_end());
  }
  if (frame_id_.empty()) return;
  const auto [width, height] = format_.size;
  if (width < 1 || height < 1 || width > most_film_side || height > most_film_side)
    fail("is damaged: its pictures are " + std::to_string(width) + " x " + std::to_string(height));
  if (format_.rate == 0 || format_.scale == 0) fail("is damaged: it has no rate of frames");
}

void film_reader::read_all() {
  for (auto frame = read_packed(); !frame.empty(); frame = read_packed()) held_.push_back(std::move(packed_));
  read_ = 0;
}

std::string_view film_reader::read_packed() {
  while (read_ < frames_) {
    if (at_ + chunk_head > end_) fail_at_frame("ends");
    const auto part = next_chunk(end_);
    if (part.id == "LIST/rec ") continue;  // its chunks come next
    const auto size = part.end - at_;
    if (part.id == frame_id_ && size > 0) {
      if (size > most_per_frame) fail_at_frame("is damaged");
      packed_.resize(size);
      take(packed_.data(), size);
      // The byte that fills up may be missing at the end of the file.
      if (part.padded_end() > at_ && part.padded_end() < end_) skip_to(part.padded_end());
      ++read_;
      return view(packed_);
    }
    skip_to(part.padded_end());
  }
  return {};
}

std::string_view film_reader::next_packed() {
  if (held_.empty()) return read_packed();
  packed_ = std::move(held_.front());
  held_.pop_front();
  ++read_;
  return view(packed_);
}

bool film_reader::next(std::uint8_t* bgr) {
  const auto frame = next_packed();
  if (frame.empty()) return false;
  if (!decode_(frame, bgr, format_.size)) {
    --read_;
    fail_at_frame("is damaged");
  }
  return true;
}

}  // namespace apps
