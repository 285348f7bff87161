#pragma once

#include <thalweg/stages/compression.hpp>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::stages {

/// Where the bytes go: the file that a link leads to, by a path that stays right if the process changes its
/// directory.
[[nodiscard]] std::filesystem::path place_of(const std::filesystem::path& target);

/// A file that is written under a temporary name beside its target and replaces it when it is complete. One
/// thread writes, any may discard. Errors are `std::filesystem::filesystem_error`s with the path of the
/// target; once one has occurred, nothing is kept, and `write` and `commit` fail with it again.
class atomic_file {
 public:
  atomic_file(const std::filesystem::path& target, bool sync, const compression& how = {});
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;
  ~atomic_file();

  void write(std::string_view bytes) {
    if (bytes.size() <= capacity - used_) {
      if (!bytes.empty()) std::memcpy(buffer_.get() + used_, bytes.data(), bytes.size());
      used_ += bytes.size();
    } else {
      write_through(bytes);
    }
  }
  /// Replaces the target by the file, unless it was discarded.
  void commit();
  /// Removes what was written so far; the target stays as it is.
  void discard() noexcept;
  /// Discards when `stop` is requested.
  void discard_on(const std::stop_token& stop) {
    if (!discards_) [[unlikely]]
      discards_.emplace(stop, discarder{this});
  }

 private:
  static constexpr std::size_t capacity = std::size_t{256} << 10U;

  struct discarder {
    atomic_file* file;
    void operator()() const noexcept { file->discard(); }
  };

  void write_through(std::string_view bytes);
  void put(std::string_view bytes);
  void put_packed();
  void put_as_they_are(std::string_view bytes);
  [[noreturn]] void fail(const char* what, int error);
  void close_file() noexcept;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  bool sync_;
  int fd_ = -1;
  int failed_ = 0;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
  std::unique_ptr<packer> packs_;
  std::string packed_{};
  std::mutex ending_;
  bool ended_ = false;
  std::optional<std::stop_callback<discarder>> discards_;  // last: it uses the others
};

}  // namespace THALWEG_NAMESPACE::stages
