#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "apps/support/files.hpp"
#include "apps/word_count/counts.hpp"

namespace apps::word_count {

/// A line of the output: how often, a tab, the word.
inline std::string line_of(std::string_view word, std::uint64_t times) {
  return std::to_string(times).append("\t").append(word).append("\n");
}

/// Writes at its `close` how often each word came, the most frequent ones first, those that came equally
/// often by their bytes. Takes the counts of all parts of a stream, in any order. \throws error  naming the
/// file, if it cannot be written, or if a word is in two parts, whose counts should have been one
class sink {
 public:
  explicit sink(std::filesystem::path file);
  void operator()(const counts& part);
  void close();

 private:
  output_file out_;
  counts all_;
};

}  // namespace apps::word_count
