#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "apps/fraud_detection/transaction.hpp"
#include "apps/support/files.hpp"

namespace apps::fraud_detection {

/// An alarm as a line of text: card, transaction and surprise in bits, `P0R94X2TLD,00A8ZJ3Q1WXY,31.07`. The
/// text lies in `line`, which holds at least 40 characters; returns its end, behind the newline.
char* write_line(const alarm& alarm, char* line);

/// Writes alarms to a file, one a line, in the order of the calls. Thread-confined; where a program has
/// several sinks, each has a file of its own, and `join` puts them together.
class sink {
 public:
  /// \throws error  if the file cannot be made
  explicit sink(const std::filesystem::path& file) : file_(file) {}

  /// \throws error  if the file takes no more
  void operator()(const alarm& alarm) {
    char line[40];
    file_.write({line, write_line(alarm, line)});
    ++written_;
  }

  /// Completes the file, which until now had a temporary name.
  void close() { file_.close(); }

  std::uint64_t written() const { return written_; }

 private:
  output_file file_;
  std::uint64_t written_ = 0;
};

/// Puts the files of several sinks into one, and removes them. \throws error  if one is missing or the
/// output cannot be written; nothing is removed then
void join(std::span<const std::filesystem::path> files, const std::filesystem::path& output);

}  // namespace apps::fraud_detection
