#include "apps/support/pnm.hpp"

#include <algorithm>
#include <string>

#include "apps/support/error.hpp"

namespace apps {
namespace {

/// The next number of a header, behind white space and comments; 0 if there is none.
std::uint32_t next_number(std::string_view text, std::size_t& at) {
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (at < text.size() && (is_space(text[at]) || text[at] == '#')) {
    if (text[at] == '#') at = std::min(text.find('\n', at), text.size() - 1);
    ++at;
  }
  std::uint32_t number = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && number < most_pnm_pixels; ++at)
    number = number * 10 + static_cast<std::uint32_t>(text[at] - '0');
  return number;
}

}  // namespace

pnm parse_pnm(std::string_view bytes, const std::filesystem::path& file) {
  const auto fail = [&](const char* what) { throw error("'" + file.string() + "' " + what); };
  if (bytes.empty()) fail("is empty");
  pnm found;
  found.colour = bytes.starts_with("P6");
  if (!found.colour && !bytes.starts_with("P5")) fail("is no binary PGM (P5) or PPM picture (P6)");
  std::size_t at = 2;
  found.width = next_number(bytes, at);
  found.height = next_number(bytes, at);
  const auto levels = next_number(bytes, at);
  if (found.width == 0 || found.height == 0 || levels == 0)
    fail("has a header that is not one of PGM or PPM");
  if (levels != 255) fail("has other than 255 levels");
  if (found.size() > most_pnm_pixels) fail("has more than 16 million pixels");
  ++at;  // a single white space
  const auto size = (found.colour ? 3 : 1) * found.size();
  if (at > bytes.size() || bytes.size() - at < size) fail("is cut off");
  found.pixels = bytes.substr(at, size);
  return found;
}

}  // namespace apps
