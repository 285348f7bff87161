#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string_view>

namespace THALWEG_NAMESPACE::stages {

/// A file that is read from its beginning to its end, in large pieces. Errors are
/// `std::filesystem::filesystem_error`s with its path. One thread at a time.
class input {
 public:
  explicit input(std::filesystem::path path);
  /// A file that is open already and stays so; `name` is for errors.
  input(int fd, std::filesystem::path name);
  input(const input&) = delete;
  input& operator=(const input&) = delete;
  ~input();

  /// What was read and not taken yet.
  [[nodiscard]] std::string_view ahead() const noexcept { return {buffer_.get() + begin_, end_ - begin_}; }
  void take(std::size_t n) noexcept { begin_ += n; }
  /// Reads more, once all has been taken. False at the end of the file, or when `stop` is requested while
  /// there is nothing to read yet.
  bool fill(const std::stop_token& stop);
  /// Reads up to `n` bytes, at least 1 unless `fill` would say false.
  std::size_t read(std::byte* to, std::size_t n, const std::stop_token& stop);
  /// How many bytes are still to come, if that is known: 0 if it is not a regular file.
  [[nodiscard]] std::uint64_t expected() const noexcept;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  void look();
  std::size_t read_some(void* to, std::size_t n, const std::stop_token& stop);

  std::filesystem::path path_;
  int fd_;
  bool own_;
  bool regular_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t read_ = 0;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::unique_ptr<char[]> buffer_;
};

/// Fails an operation on a file: throws `std::filesystem::filesystem_error` with the reason `error`, an
/// errno.
[[noreturn]] void fail(const char* what, const std::filesystem::path& path, int error);

}  // namespace THALWEG_NAMESPACE::stages
