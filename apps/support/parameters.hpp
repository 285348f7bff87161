#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace apps {

/// A text file of named numbers, for inputs that are described rather than stored: `name value` on each line;
/// empty lines, and what follows a `#`, are skipped. Errors are `apps::error`s that name the file and the
/// line or the name.
///
/// ```cpp
/// apps::parameters of("range.txt");  // first 2
/// const auto first = of.whole("first", 1, 1000);
/// of.finish();
/// ```
class parameters {
 public:
  /// \throws error  if the file cannot be read, is empty, or has a line that is not a name and a value
  explicit parameters(std::filesystem::path file);

  /// A whole number from `least` to `most`. \throws error  if it is not there, or is none
  std::uint64_t whole(const std::string& name, std::uint64_t least, std::uint64_t most);
  /// A number, likewise: the double that is nearest to what is written.
  double real(const std::string& name, double least, double most);
  /// \throws error  if the file has names that nobody has asked for
  void finish() const;

 private:
  template <class T> T number(const std::string& name, T least, T most);
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path file_;
  std::map<std::string, std::string> values_;  // of names that nobody has asked for
};

/// A line of such a file: the shortest text that is read as the same value.
std::string parameter(std::string_view name, auto value) {
  char digits[32];
  const std::string_view text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  return std::string(name).append(" ").append(text).append("\n");
}

}  // namespace apps
