#include "apps/ferret/pack.hpp"

#include <utility>

#include "apps/support/error.hpp"

namespace apps::ferret {
namespace {

constexpr std::string_view magic = "PICPACK1";
constexpr std::size_t head_size = 2 + 4 + 4 + 4 + 4;  // name's size, width, height, packed size, check sum

}  // namespace

std::uint32_t check_sum(std::string_view bytes) {
  std::uint32_t hash = 0x811C9DC5;
  std::size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4) hash = (hash ^ number_at<std::uint32_t>(&bytes[i])) * 0x01000193;
  for (; i < bytes.size(); ++i) hash = (hash ^ static_cast<std::uint8_t>(bytes[i])) * 0x01000193;
  return hash ^ hash >> 15;
}

pack_writer::pack_writer(std::filesystem::path file, std::uint32_t pictures) : out_(std::move(file)) {
  std::string head(magic);
  append_number(head, pictures);
  out_.write(head);
}

void pack_writer::add(std::string_view name, const picture& added) {
  const auto packed = encode(added);
  std::string head;
  append_number(head, static_cast<std::uint16_t>(name.size()));
  append_number(head, added.width);
  append_number(head, added.height);
  append_number(head, static_cast<std::uint32_t>(packed.size()));
  append_number(head, check_sum(view(packed)));
  out_.write(head.append(name));
  out_.write(view(packed));
}

pack_reader::pack_reader(std::filesystem::path file) : in_(std::move(file)) {
  std::string head(magic.size() + 4, '\0');
  const auto got = in_.read(head.data(), head.size());
  if (got == 0) throw error("'" + in_.path().string() + "' is empty");
  if (got < head.size() || !head.starts_with(magic))
    throw error("'" + in_.path().string() + "' is no pack of pictures");
  pictures_ = number_at<std::uint32_t>(&head[magic.size()]);
}

bool pack_reader::is_pack(const std::filesystem::path& file) {
  input_file in(file);
  std::string start(magic.size(), '\0');
  return in.read(start.data(), start.size()) == start.size() && start == magic;
}

void pack_reader::fail(const char* what) const {
  throw error("'" + in_.path().string() + "' " + what + " at picture " + std::to_string(read_ + 1) + " of " +
              std::to_string(pictures_));
}

std::optional<named_picture> pack_reader::operator()() {
  if (read_ == pictures_) return std::nullopt;
  char head[head_size];
  if (in_.read(head, head_size) < head_size) fail("is cut off");
  named_picture next;
  next.name.resize(number_at<std::uint16_t>(head));
  next.shows.width = number_at<std::uint32_t>(head + 2);
  next.shows.height = number_at<std::uint32_t>(head + 6);
  const auto size = number_at<std::uint32_t>(head + 10);
  // A sample takes 33 bits at most.
  if (next.shows.pixels() == 0 || next.shows.pixels() > most_pixels || size > 15 * next.shows.pixels())
    fail("is damaged");
  packed_.resize(size);
  if (in_.read(next.name.data(), next.name.size()) < next.name.size() ||
      in_.read(packed_.data(), size) < size)
    fail("is cut off");
  if (check_sum(view(packed_)) != number_at<std::uint32_t>(head + 14) || !decode(view(packed_), next.shows))
    fail("is damaged");
  ++read_;
  return next;
}

}  // namespace apps::ferret
