#include "mentions.hpp"

#include <cctype>
#include <fstream>
#include <sstream>

namespace thalweg::spar::driver {

namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// What stands behind an offset, without spaces.
std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

}  // namespace

bool mentions_attributes(std::string_view text) {
  constexpr std::string_view space = "spar";
  if (text.find("ToStream") == std::string_view::npos && text.find("Stage") == std::string_view::npos)
    return false;
  for (auto at = text.find(space); at != std::string_view::npos; at = text.find(space, at + 1)) {
    if (at > 0 && is_of_name(text[at - 1])) continue;
    // `spar::Stage`, or `using spar: Stage`.
    const auto behind = skip_spaces(text, at + space.size());
    if (behind < text.size() && text[behind] == ':') return true;
  }
  return false;
}

bool file_mentions_attributes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  if (!in || !(all << in.rdbuf())) return false;
  return mentions_attributes(all.view());
}

}  // namespace thalweg::spar::driver
