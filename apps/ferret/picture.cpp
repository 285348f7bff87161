#include "apps/ferret/picture.hpp"

#include <cstring>
#include <string>

#include "apps/support/error.hpp"
#include "apps/support/files.hpp"

namespace apps::ferret {
namespace {

/// The next number of a header, behind white space and comments; 0 if there is none.
std::uint32_t next_number(std::string_view text, std::size_t& at) {
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (at < text.size() && (is_space(text[at]) || text[at] == '#')) {
    if (text[at] == '#') at = std::min(text.find('\n', at), text.size() - 1);
    ++at;
  }
  std::uint32_t number = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && number < most_pixels; ++at)
    number = number * 10 + static_cast<std::uint32_t>(text[at] - '0');
  return number;
}

}  // namespace

picture read_ppm(const std::filesystem::path& file) {
  const auto all = read_file(file);
  const auto text = view(all);
  const auto fail = [&](const char* what) { throw error("'" + file.string() + "' " + what); };
  if (text.empty()) fail("is empty");
  if (!text.starts_with("P6")) fail("is no binary PPM picture (P6)");
  std::size_t at = 2;
  picture made;
  made.width = next_number(text, at);
  made.height = next_number(text, at);
  const auto levels = next_number(text, at);
  if (made.width == 0 || made.height == 0 || levels == 0) fail("has a header that is not one of PPM");
  if (levels != 255) fail("has other than 255 levels");
  if (made.pixels() > most_pixels) fail("has more than 16 million pixels");
  ++at;  // a single white space
  if (at > text.size() || text.size() - at < 3 * made.pixels()) fail("is cut off");
  made.rgb.resize(3 * made.pixels());
  std::memcpy(made.rgb.data(), text.data() + at, made.rgb.size());
  return made;
}

void write_ppm(const picture& from, const std::filesystem::path& file) {
  output_file out(file);
  out.write("P6\n" + std::to_string(from.width) + " " + std::to_string(from.height) + "\n255\n");
  out.write({reinterpret_cast<const char*>(from.rgb.data()), from.rgb.size()});
  out.close();
}

}  // namespace apps::ferret
