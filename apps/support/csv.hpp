#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "apps/support/bytes.hpp"
#include "apps/support/error.hpp"
#include "apps/support/files.hpp"

namespace apps {

/// Reads a file of lines, each of fields between commas, or another sign. Errors are `apps::error`s that name
/// file and line.
///
/// ```cpp
/// apps::csv_reader lines("faces.csv");
/// while (lines.next()) {
///   const auto name = lines.field();
///   const auto age = lines.number();
///   lines.end();
/// }
/// ```
class csv_reader {
 public:
  explicit csv_reader(std::filesystem::path file, char separator = ',')
      : file_(std::move(file)), text_(read_file(file_)), rest_(view(text_)), separator_(separator) {}

  /// Goes to the next line; false behind the last.
  bool next() {
    if (rest_.empty()) return false;
    line_ = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line_.size() + 1, rest_.size()));
    ++number_;
    return true;
  }
  /// What has not been read of the line yet.
  [[nodiscard]] std::string_view rest() const { return line_; }
  /// The next field of the line.
  std::string_view field() {
    const auto found = line_.substr(0, line_.find(separator_));
    line_.remove_prefix(std::min(found.size() + 1, line_.size()));
    return found;
  }
  /// The next field, a whole number.
  int number() {
    const auto text = field();
    int value = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (wrong != std::errc() || end != text.data() + text.size())
      fail("'" + std::string(text) + "' is no number");
    return value;
  }
  /// To be called behind the last field.
  void end() const {
    if (!line_.empty()) fail("there is more than should be");
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw error(file_.string() + ":" + std::to_string(number_) + ": " + what);
  }

 private:
  std::filesystem::path file_;
  bytes text_;
  std::string_view rest_, line_;
  char separator_;
  std::size_t number_ = 0;
};

}  // namespace apps
