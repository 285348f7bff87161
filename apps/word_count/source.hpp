#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "apps/support/bytes.hpp"
#include "apps/support/files.hpp"
#include "apps/support/input_held.hpp"
#include "apps/word_count/passage.hpp"

namespace apps::word_count {

/// Bytes of a passage, about: it ends with the last word that lies in as many.
inline constexpr std::size_t passage_size = std::size_t{1} << 16U;

/// What has words of as many bytes is no text.
inline constexpr std::size_t longest_word = std::size_t{1} << 20U;

/// Gives the passages of a file. The file can be gone through again and again, as if it were a longer one;
/// its last word and its first one do not touch. Thread-confined.
class source {
 public:
  /// \throws error  if the file cannot be read
  explicit source(std::filesystem::path file, std::uint64_t passes = 1,
                  input_held held = input_held::on_disk);

  /// The next passage; nothing at the end. \throws error  if the file cannot be read, or has a word of
  /// `longest_word` bytes or more
  std::optional<passage> operator()();

 private:
  bool begin_pass();
  bool cut(bytes& text);
  void read_on(bytes& text);
  void read(bytes& to, std::size_t size);

  input_file in_;
  std::optional<bytes> held_;  // all of the file
  std::size_t next_ = 0;       // of what is held
  std::uint64_t passes_;       // that are left, with the one under way
  bool ended_ = false;         // the file has been read to its end in this pass
  bytes rest_;                 // the beginning of a word whose end has not been read
  std::uint64_t number_ = 0;
};

}  // namespace apps::word_count
