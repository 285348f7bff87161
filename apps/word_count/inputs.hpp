#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/support/application.hpp"

namespace apps::word_count {

/// An input: how long its text is, in bytes at least, and how often it is gone through.
struct input {
  std::string_view name;
  std::uint64_t bytes;
  std::uint64_t passes;
};

inline constexpr std::uint64_t mb = 1'000'000;
inline constexpr std::array inputs = {
    input{"test", 4 * mb, 2},     input{"small", 100 * mb, 2}, input{"medium", 200 * mb, 6},
    input{"large", 400 * mb, 16}, input{"huge", 400 * mb, 48},
};

/// The files of an input: the text, and `passes` with its number on a line.
inline constexpr std::string_view text_file = "text.xml";
inline constexpr std::string_view stream_file = "stream.txt";

/// A stream: a text, and how often it is gone through.
struct stream {
  std::filesystem::path text;
  std::uint64_t passes = 1;
};

/// What is to be read: a folder with the files of an input, or a text of the user's, which is gone through
/// once. \throws error  naming the file, if `stream_file` has no number of passes
stream read_stream(const std::filesystem::path& input);

/// Makes the files of an input in an empty folder; see application.hpp. \throws error  if there is no such
/// input
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Counts the words by sorting them, and compares the output with that, line by line.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

}  // namespace apps::word_count
