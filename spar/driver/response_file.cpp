#include "response_file.hpp"

#include <cctype>
#include <fstream>
#include <optional>
#include <sstream>

namespace thalweg::spar::driver {

namespace {

// Files may name files; one that names itself ends here.
constexpr int deepest = 20;

std::optional<std::string> text_of(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return {};
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  if (!in) return {};
  return all.str();
}

words split(const std::string& text) {
  words result;
  std::optional<std::string> word;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (word) result.push_back(*word);
      word.reset();
      continue;
    }
    if (!word) word.emplace();
    if (c == '\\' && i + 1 < text.size()) {
      *word += text[++i];
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      *word += c;
    }
  }
  if (word) result.push_back(*word);
  return result;
}

void expand(const words& arguments, int depth, words& result) {
  for (const auto& one : arguments) {
    const auto text = one.starts_with("@") && depth < deepest ? text_of(one.substr(1)) : std::nullopt;
    if (text) {
      expand(split(*text), depth + 1, result);
    } else {
      result.push_back(one);
    }
  }
}

}  // namespace

words expand_response_files(const words& arguments) {
  words result;
  expand(arguments, 0, result);
  return result;
}

void write_response_file(const std::filesystem::path& file, const words& arguments) {
  std::ofstream out(file, std::ios::binary);
  for (const auto& one : arguments) {
    out << '"';
    for (const char c : one) {
      if (c == '"' || c == '\\') out << '\\';
      out << c;
    }
    out << "\"\n";
  }
}

}  // namespace thalweg::spar::driver
