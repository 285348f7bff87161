#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "apps/support/error.hpp"

namespace apps {

/// A file that is there when it is complete: written under a temporary name beside its own (`.part`
/// appended), which `close()` renames. Without `close()` nothing is left.
///
/// ```cpp
/// apps::new_file file("result.txt");
/// file.write("42\n");
/// file.close();
/// ```
class new_file {
 public:
  /// \throws error  if the file cannot be made
  explicit new_file(std::filesystem::path path)
      : path_(std::move(path)), part_(new std::filesystem::path(path_.string() + ".part")) {
    if (std::filesystem::is_directory(path_)) throw error(path_.string() + ": is a folder");
    out_.open(*part_, std::ios::binary | std::ios::trunc);
    if (!out_) throw error(path_.string() + ": cannot be written");
  }

  /// \throws error  if the file takes no more
  void write(std::string_view bytes) {
    if (!out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      throw error(path_.string() + ": cannot be written to the end");
  }

  /// Gives the file its name. \throws error  if not everything could be written
  void close() {
    if (!part_) return;
    out_.close();
    std::error_code failed;
    if (out_) std::filesystem::rename(*part_, path_, failed);
    if (!out_ || failed) throw error(path_.string() + ": cannot be written to the end");
    part_.reset();
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  struct removes {
    void operator()(std::filesystem::path* part) const {
      const std::unique_ptr<std::filesystem::path> owned(part);
      std::error_code ignored;
      std::filesystem::remove(*owned, ignored);
    }
  };

  std::filesystem::path path_;
  std::unique_ptr<std::filesystem::path, removes> part_;
  std::ofstream out_;
};

}  // namespace apps
