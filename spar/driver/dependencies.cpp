#include "dependencies.hpp"

#include <fstream>
#include <sstream>

namespace thalweg::spar::driver {

namespace {

// As make reads the name of a file.
std::string escaped(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (c == ' ' || c == '#') result += '\\';
    if (c == '$') result += '$';
    result += c;
  }
  return result;
}

// The end of the word that begins there: an escaped space is a part of it.
std::size_t end_of_word(const std::string& text, std::size_t at) {
  while (at < text.size() && text[at] != ' ' && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

// A cache of compilations may have named the same file from another folder.
bool is_file(const std::string& word, const std::string& name, const std::filesystem::path& file) {
  if (!word.ends_with(name)) return false;
  std::error_code none;
  return word == escaped(file.string()) || std::filesystem::equivalent(word, file, none);
}

}  // namespace

void name_the_source(const std::filesystem::path& file, const std::filesystem::path& translated,
                     const std::string& source) {
  std::ostringstream all;
  {
    std::ifstream in(file, std::ios::binary);
    if (!in) return;  // The compiler has failed, and said so.
    all << in.rdbuf();
  }
  const std::string text = all.str();
  const std::string name = escaped(translated.filename().string());
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_word(text, at);
    const std::string word = text.substr(at, end - at);
    result += is_file(word, name, translated) ? escaped(source) : word;
    if (end < text.size()) result += text[end];
    at = end + 1;
  }
  std::ofstream(file, std::ios::binary) << result;
}

}  // namespace thalweg::spar::driver
