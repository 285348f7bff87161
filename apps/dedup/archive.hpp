/// Archives. Numbers are stored lowest byte first. A file begins with `archive_mark`; one record follows for
/// each chunk, in the order of the stream:
///
/// | byte | then | for |
/// |---|---|---|
/// | `N` | size (4 bytes), packed size (4 bytes), the packed bytes: a zlib stream (RFC 1950) | a chunk that
/// comes first; such chunks are numbered from 0 | | `R` | number (4 bytes) | the same bytes as those of the
/// chunk of this number | | `E` | size of the whole (8 bytes), sum (32 bytes) | the end of the file |
///
/// The sum is 32 zeros at first, and with each chunk becomes the SHA-256 of itself followed by the SHA-256 of
/// the chunk's bytes. So every byte of the original is checked, though none is hashed twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "apps/dedup/fragment.hpp"
#include "apps/dedup/pack.hpp"
#include "apps/support/bytes.hpp"
#include "apps/support/files.hpp"
#include "apps/support/hash.hpp"

namespace apps::dedup {

inline constexpr std::string_view archive_mark = "thalweg dedup 1\n";

/// How many bytes there are, and what they are.
struct archive_sum {
  std::uint64_t bytes = 0;
  digest hash{};
  void add(std::uint32_t size, const digest& of);
};

/// Writes an archive. The file gets its name at `close`. \throws error  naming the file
class archive_writer {
 public:
  explicit archive_writer(std::filesystem::path file);
  /// A chunk that comes first, packed.
  void store(const chunk& one);
  /// One that is the same as the one of this number.
  void repeat(std::uint32_t number, const chunk& one);
  void close();
  [[nodiscard]] const std::filesystem::path& path() const { return out_.path(); }

 private:
  output_file out_;
  archive_sum sum_;
  std::string head_;  // of a record
};

/// Reads an archive, chunk by chunk. \throws error  naming the file, if it is no archive, truncated or
/// damaged
///
/// ```cpp
/// apps::dedup::archive_reader archive("backup.dedup");
/// while (archive.next()) archive.repeats() ? again(archive.number()) : first(archive.text());
/// ```
class archive_reader {
 public:
  explicit archive_reader(std::filesystem::path file);
  /// Goes to the next chunk; false behind the last, when all of the file has turned out to be good.
  bool next();

  /// Of the chunk: whether it is another one's repetition, the number of that one, or its own, its size, and
  /// the hash of its bytes.
  [[nodiscard]] bool repeats() const { return repeats_; }
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] std::uint32_t size() const { return known_[number_].size; }
  [[nodiscard]] const digest& hash() const { return known_[number_].hash; }
  /// Of one that does not repeat, until the next call: its bytes, and these packed.
  [[nodiscard]] std::string_view text() const { return view(text_); }
  [[nodiscard]] std::string_view packed() const { return view(packed_); }

  /// How many bytes there were until now, and how many of them are stored.
  [[nodiscard]] std::uint64_t bytes_read() const { return sum_.bytes; }
  [[nodiscard]] std::uint64_t bytes_stored() const { return stored_; }

 private:
  struct known {
    std::uint32_t size;
    digest hash;
  };
  void read_stored();
  void read_end();
  template <class T> T number_from_file();
  void take(char* to, std::size_t size);
  [[noreturn]] void damaged() const;

  input_file in_;
  std::uint64_t at_ = 0;      // in the file
  std::uint64_t record_ = 0;  // where the record under way begins
  bytes packed_, text_;
  unpacker unpack_;
  std::vector<known> known_;
  std::uint32_t number_ = 0;
  bool repeats_ = false;
  std::uint64_t stored_ = 0;
  archive_sum sum_;
};

/// Writes what an archive was made of. Holds the packed chunks, which is about what the archive's file has.
/// \throws error  naming the file that is wrong; then nothing is written
void restore(const std::filesystem::path& archive, const std::filesystem::path& output);

}  // namespace apps::dedup
