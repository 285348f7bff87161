/// Archives as `tar` reads them: POSIX's ustar format, of regular files only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "apps/support/bytes.hpp"
#include "apps/support/files.hpp"

namespace apps::xml_transform {

/// Writes files one behind the other. The archive gets its name at `close`; the same files give the same
/// bytes, as none has a time or an owner. Errors are `apps::error`s that name the archive.
class archive_writer {
 public:
  explicit archive_writer(std::filesystem::path file);
  /// `name`: up to 100 bytes.
  void add(const std::string& name, std::string_view content);
  void close();
  [[nodiscard]] const std::filesystem::path& path() const { return out_.path(); }

 private:
  output_file out_;
};

/// A file of an archive.
struct archived {
  std::string_view name, content;
};

/// Reads such an archive, which it holds in memory.
class archive_reader {
 public:
  explicit archive_reader(const std::filesystem::path& file) : path_(file), all_(read_file(file)) {}
  /// The next file, good as long as the reader is; nothing at the end. \throws error  naming the archive, if
  /// it is none or is cut off
  std::optional<archived> next();

 private:
  std::filesystem::path path_;
  bytes all_;
  std::size_t at_ = 0;
};

}  // namespace apps::xml_transform
