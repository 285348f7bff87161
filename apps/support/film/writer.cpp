#include <algorithm>
#include <utility>

#include "apps/support/error.hpp"
#include "apps/support/film/film.hpp"
#include "apps/support/numbers.hpp"

namespace apps {
namespace {

constexpr std::size_t header_size = 224, index_entry = 16;
constexpr std::uint32_t has_index = 0x10, is_key_frame = 0x10;

void append_chunk(std::string& to, std::string_view id, std::string_view body) {
  to.append(id);
  append_number(to, static_cast<std::uint32_t>(body.size()));
  to.append(body);
}

void append_list(std::string& to, std::string_view kind, std::string_view body) {
  append_chunk(to, "LIST", std::string(kind).append(body));
}

std::string numbers(std::initializer_list<std::uint32_t> values) {
  std::string bytes;
  for (const auto value : values) append_number(bytes, value);
  return bytes;
}

}  // namespace

film_writer::film_writer(std::filesystem::path file, film_format format, int quality)
    : out_(std::move(file)), format_(format), encode_(quality) {
  out_.write(header());
}

void film_writer::add(const std::uint8_t* bgr) {
  add_packed(encode_(bgr, format_.size));
}

void film_writer::add_packed(std::string_view jpeg) {
  // Sizes and offsets have 32 bits.
  if (out_.size() + jpeg.size() + index_entry * (index_.size() + 2) > 0xFFFF'0000)
    throw error("'" + out_.path().string() + "' is not written: an AVI film may not be larger than 4 GB");
  const auto size = static_cast<std::uint32_t>(jpeg.size());
  index_.push_back({static_cast<std::uint32_t>(out_.size() - header_size + 4), size});
  largest_ = std::max(largest_, size);
  std::string head("00dc");
  append_number(head, size);
  out_.write(head);
  out_.write(jpeg);
  if (size % 2 != 0) out_.write(std::string_view("\0", 1));
}

void film_writer::close() {
  if (index_.empty()) throw error("'" + out_.path().string() + "' is not written: it would have no frames");
  const auto frames_end = out_.size();
  std::string index;
  for (const auto& [offset, size] : index_) index += "00dc" + numbers({is_key_frame, offset, size});
  std::string tail;
  append_chunk(tail, "idx1", index);
  out_.write(tail);
  // What was not known before: of the file, all; of the frames, their size.
  out_.replace(0, header());
  out_.replace(4, numbers({static_cast<std::uint32_t>(out_.size() - 8)}));
  out_.replace(header_size - 8, numbers({static_cast<std::uint32_t>(frames_end - header_size + 4)}));
  out_.close();
}

// The start of the file, up to the first frame.
std::string film_writer::header() const {
  const auto width = static_cast<std::uint32_t>(format_.size.width);
  const auto height = static_cast<std::uint32_t>(format_.size.height);
  const auto microseconds =
      static_cast<std::uint32_t>(std::uint64_t{1'000'000} * format_.scale / format_.rate);
  const auto per_second = static_cast<std::uint32_t>(std::uint64_t{largest_} * format_.rate / format_.scale);
  const auto film =
      numbers({microseconds, per_second, 0, has_index, frames(), 0, 1, largest_, width, height, 0, 0, 0, 0});
  const auto stream = "vidsMJPG" + numbers({0, 0, 0, format_.scale, format_.rate, 0, frames(), largest_,
                                            0xFFFF'FFFF, 0, 0, height << 16 | width});
  constexpr std::uint32_t one_plane_of_24_bits = 24 << 16 | 1;
  const auto pictures =
      numbers({40, width, height, one_plane_of_24_bits}) + "MJPG" + numbers({3 * width * height, 0, 0, 0, 0});
  std::string stream_list;
  append_chunk(stream_list, "strh", stream);
  append_chunk(stream_list, "strf", pictures);
  std::string film_list;
  append_chunk(film_list, "avih", film);
  append_list(film_list, "strl", stream_list);
  std::string head = "RIFF" + numbers({0}) + "AVI ";
  append_list(head, "hdrl", film_list);
  return head + "LIST" + numbers({4}) + "movi";
}

}  // namespace apps
