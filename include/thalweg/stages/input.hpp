#pragma once

#include <thalweg/stages/compression.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>

namespace THALWEG_NAMESPACE::stages {

/// Whether a path stands for the standard input: `-` or `/dev/stdin`.
[[nodiscard]] bool is_stdin(const std::filesystem::path& path);

/// A file that is read from its beginning to its end, in large pieces. Errors are
/// `std::filesystem::filesystem_error`s with its path, and `damaged_data` if it is compressed. One thread at
/// a time.
class input {
 public:
  /// The standard input, if the path stands for it.
  explicit input(const std::filesystem::path& path, const compression& how = {});
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
  /// How many bytes of a compressed file have been unpacked.
  [[nodiscard]] std::uint64_t unpacked() const noexcept { return packed_ ? packed_->taken : 0; }

 private:
  // What a file has that may be compressed: bytes as they were read.
  struct packed {
    std::shared_ptr<const packing> way;
    std::unique_ptr<unpacker> undo{};  // once that is known
    std::unique_ptr<char[]> read{};
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint64_t taken = 0;

    [[nodiscard]] std::span<const char> ahead() const noexcept { return {read.get() + begin, end - begin}; }
  };

  void look();
  std::size_t read_some(void* to, std::size_t n, const std::stop_token& stop);
  bool find_out(const std::stop_token& stop);
  bool unpack(const std::stop_token& stop);

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
  std::optional<packed> packed_{};  // empty also if it turns out not to be compressed
};

/// Fails an operation on a file: throws `std::filesystem::filesystem_error` with the reason `error`, an
/// errno.
[[noreturn]] void fail(const char* what, const std::filesystem::path& path, int error);

}  // namespace THALWEG_NAMESPACE::stages
