#include "apps/support/parameters.hpp"

#include <charconv>
#include <system_error>
#include <utility>

#include "apps/support/error.hpp"
#include "apps/support/files.hpp"

namespace apps {
namespace {

constexpr std::uint64_t most_bytes = 10'000;  // a larger file is something else

/// Cuts the next word off the front of a line.
std::string_view next_word(std::string_view& line) {
  constexpr std::string_view space = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(space), line.size()));
  const auto word = line.substr(0, line.find_first_of(space));
  line.remove_prefix(word.size());
  return word;
}

template <class T> std::string text_of(T number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace

parameters::parameters(std::filesystem::path file) : file_(std::move(file)) {
  input_file in(file_);
  bytes all(most_bytes + 1);
  all.resize(in.read(all.data(), all.size()));
  if (all.empty()) fail("is empty");
  if (all.size() > most_bytes) fail("is no list of named numbers: it is too long");
  auto text = view(all);
  for (int number = 1; !text.empty(); ++number) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = line.substr(0, line.find('#'));
    const auto name = next_word(line);
    const auto value = next_word(line);
    if (name.empty()) continue;
    const auto where = "line " + std::to_string(number);
    if (value.empty() || !next_word(line).empty()) fail(where + " is not a name and a value");
    if (!values_.emplace(name, value).second) fail(where + " has '" + std::string(name) + "' again");
  }
}

std::uint64_t parameters::whole(const std::string& name, std::uint64_t least, std::uint64_t most) {
  return number(name, least, most);
}

double parameters::real(const std::string& name, double least, double most) {
  return number(name, least, most);
}

void parameters::finish() const {
  if (!values_.empty()) fail("has an unknown '" + values_.begin()->first + "'");
}

template <class T> T parameters::number(const std::string& name, T least, T most) {
  const auto found = values_.extract(name);
  if (found.empty()) fail("has no '" + name + "'");
  const auto& text = found.mapped();
  T value{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  // What is no number compares as false.
  if (wrong != std::errc() || end != text.data() + text.size() || !(least <= value && value <= most))
    fail("has " + name + " " + text + ", which is no number from " + text_of(least) + " to " + text_of(most));
  return value;
}

void parameters::fail(const std::string& what) const {
  throw error("'" + file_.string() + "' " + what);
}

}  // namespace apps
