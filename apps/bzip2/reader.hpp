#pragma once

#include <filesystem>

#include "apps/bzip2/workspace.hpp"
#include "apps/support/files.hpp"

namespace apps::bzip2 {

/// Reads what is in a .bz2 file from its start to its end, in bounded memory, by libbz2 alone: what the
/// operators are checked with. Bytes behind the last stream are left out. Errors are `apps::error`s that name
/// the file.
class reader {
 public:
  explicit reader(std::filesystem::path path);
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  ~reader() { BZ2_bzDecompressEnd(&stream_); }

  /// Reads until `size` bytes are there or the last stream ends; gives how many there are.
  std::size_t read(char* to, std::size_t size);

 private:
  void open_stream();
  bool fill();

  input_file in_;
  workspace memory_;
  bytes packed_;
  bz_stream stream_{};
  bool in_stream_ = false;
  bool behind_a_stream_ = false;
  bool over_ = false;  // what follows is no stream
};

}  // namespace apps::bzip2
