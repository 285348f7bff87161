// The layout of AVI files: Microsoft, AVI RIFF File Reference (version 1.0 of the format).
#include <algorithm>

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

bool film_layout::has_room_for(std::size_t size) const {
  constexpr std::uint64_t most = 0xFFFF'0000;  // sizes and offsets have 32 bits
  return header_size + frames_end_ + size + index_entry * (sizes_.size() + 2) <= most;
}

void film_layout::add(std::size_t size) {
  constexpr std::size_t chunk_head = 8;
  sizes_.push_back(static_cast<std::uint32_t>(size));
  frames_end_ += chunk_head + size + size % 2;
}

std::string film_layout::before(std::uint32_t size) {
  std::string head("00dc");
  append_number(head, size);
  return head;
}

std::string film_layout::index() const {
  std::string entries;
  std::uint32_t offset = 4;  // from the name of the list on
  for (const auto size : sizes_) {
    entries += "00dc" + numbers({is_key_frame, offset, size});
    offset += static_cast<std::uint32_t>(before(size).size() + size + behind(size).size());
  }
  std::string chunk;
  append_chunk(chunk, "idx1", entries);
  return chunk;
}

std::string film_layout::header() const {
  const auto width = static_cast<std::uint32_t>(format_.size.width);
  const auto height = static_cast<std::uint32_t>(format_.size.height);
  const auto frames = static_cast<std::uint32_t>(sizes_.size());
  const auto largest = sizes_.empty() ? 0 : *std::ranges::max_element(sizes_);
  const auto microseconds =
      static_cast<std::uint32_t>(std::uint64_t{1'000'000} * format_.scale / format_.rate);
  const auto per_second = static_cast<std::uint32_t>(std::uint64_t{largest} * format_.rate / format_.scale);
  const auto film =
      numbers({microseconds, per_second, 0, has_index, frames, 0, 1, largest, width, height, 0, 0, 0, 0});
  const auto stream = "vidsMJPG" + numbers({0, 0, 0, format_.scale, format_.rate, 0, frames, largest,
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
  const auto index_size = 8 + index_entry * sizes_.size();
  const auto all = header_size + frames_end_ + index_size - 8;  // but for "RIFF" and this number
  std::string head = "RIFF" + numbers({static_cast<std::uint32_t>(all)}) + "AVI ";
  append_list(head, "hdrl", film_list);
  return head + "LIST" + numbers({static_cast<std::uint32_t>(4 + frames_end_)}) + "movi";
}

std::string wrong_layout(const std::filesystem::path& file) {
  film_reader film(file);
  film_layout due(film.format());
  for (auto frame = film.next_packed(); !frame.empty(); frame = film.next_packed()) due.add(frame.size());
  input_file in(file);
  std::string got;
  const auto take = [&](std::size_t size) {
    got.resize(size);
    got.resize(in.read(got.data(), size));
  };
  const auto next_is = [&](const std::string& text) {
    take(text.size());
    return got == text;
  };
  if (!next_is(due.header())) return "its header is not that of its frames";
  for (const auto size : due.sizes()) {
    const bool begins = next_is(film_layout::before(size));
    take(size);
    if (!begins || !next_is(film_layout::behind(size))) return "there is something between its frames";
  }
  if (!next_is(due.index())) return "its index is not that of its frames";
  take(1);
  return got.empty() ? "" : "something follows its index";
}

}  // namespace apps
