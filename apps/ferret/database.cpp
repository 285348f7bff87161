#include "apps/ferret/database.hpp"

#include "apps/ferret/pack.hpp"
#include "apps/support/error.hpp"
#include "apps/support/files.hpp"

namespace apps::ferret {
namespace {

// The magic, the number of pictures, the size and the check sum of what follows: for each picture its name's
// size, its number of regions, its name, and for each region 14 numbers and the weight, two bytes each.
constexpr std::string_view magic = "PICFEAT1";
constexpr std::size_t head_size = magic.size() + 4 + 8 + 4;
constexpr std::size_t region_size = 2 * (dimensions + 1);

}  // namespace

void database::add(std::string_view name, const signature& added) {
  names_ += name;
  name_starts_.push_back(static_cast<std::uint32_t>(names_.size()));
  regions_.insert(regions_.end(), added.regions.begin(), added.regions.end());
  weights_.insert(weights_.end(), added.weights.begin(), added.weights.end());
  pictures_.resize(regions_.size(), size());
  starts_.push_back(static_cast<std::uint32_t>(regions_.size()));
}

void database::save(const std::filesystem::path& file) const {
  std::string body;
  body.reserve(names_.size() + size() * 3 + regions_.size() * region_size);
  for (std::uint32_t i = 0; i < size(); ++i) {
    const auto [regions, weights] = (*this)[i];
    append_number(body, static_cast<std::uint16_t>(name(i).size()));
    append_number(body, static_cast<std::uint8_t>(regions.size()));
    body += name(i);
    for (std::size_t r = 0; r < regions.size(); ++r) {
      for (std::size_t d = 0; d < dimensions; ++d) append_number(body, regions[r].values[d]);
      append_number(body, weights[r]);
    }
  }
  std::string head(magic);
  append_number(head, size());
  append_number(head, std::uint64_t{body.size()});
  append_number(head, check_sum(body));
  output_file out(file);
  out.write(head);
  out.write(body);
  out.close();
}

database database::load(const std::filesystem::path& file) {
  const auto all = read_file(file);
  const auto text = view(all);
  const auto fail = [&](const char* what) { throw error("'" + file.string() + "' " + what); };
  if (text.empty()) fail("is empty");
  if (!text.starts_with(magic)) fail("is no database of pictures");
  if (text.size() < head_size) fail("is cut off");
  const auto count = number_at<std::uint32_t>(&text[magic.size()]);
  const auto size = number_at<std::uint64_t>(&text[magic.size() + 4]);
  const auto body = text.substr(head_size);
  if (body.size() < size) fail("is cut off");
  if (body.size() > size || check_sum(body) != number_at<std::uint32_t>(&text[magic.size() + 12]))
    fail("is damaged");
  if (count == 0) fail("has no pictures");

  database made;
  std::size_t at = 0;
  signature next;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (body.size() - at < 3) fail("is damaged");
    const std::size_t name = number_at<std::uint16_t>(&body[at]);
    const std::size_t regions = number_at<std::uint8_t>(&body[at + 2]);
    at += 3;
    if (regions == 0 || regions > most_regions || body.size() - at < name + regions * region_size)
      fail("is damaged");
    const auto named = body.substr(at, name);
    at += name;
    next.regions.assign(regions, {});
    next.weights.assign(regions, 0);
    std::uint32_t weight = 0;
    for (std::size_t r = 0; r < regions; ++r, at += 2) {
      for (std::size_t d = 0; d < dimensions; ++d, at += 2) {
        const auto value = number_at<std::int16_t>(&body[at]);
        if (value < 0 || value > most_feature) fail("is damaged");
        next.regions[r].values[d] = value;
      }
      weight += next.weights[r] = number_at<std::uint16_t>(&body[at]);
    }
    if (weight != unit_weight) fail("is damaged");
    made.add(named, next);
  }
  if (at != body.size()) fail("is damaged");
  return made;
}

}  // namespace apps::ferret
