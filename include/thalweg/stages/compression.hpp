/// `gzip`, `zstd`: files that are compressed. Both, and `automatic`, are in the library
/// `thalweg::compression`, which is built where zlib is found. No header of zlib or zstd is included.
#pragma once

#include <thalweg/model/errors.hpp>
#include <thalweg/model/options.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace THALWEG_NAMESPACE {

namespace stages {

/// Compressed data that is not what it should be.
struct damaged_data : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Undoes the compression of a file, piece by piece.
class unpacker {
 public:
  struct progress {
    std::size_t taken;  ///< bytes of `from`
    std::size_t made;   ///< bytes in `to`
  };
  unpacker() = default;
  unpacker(const unpacker&) = delete;
  unpacker& operator=(const unpacker&) = delete;
  virtual ~unpacker() = default;

  /// What `from` is when it is unpacked, as far as there is room in `to`. It may still have something when
  /// all of `from` was taken: then it makes more. It makes all that comes before what is wrong.
  /// \throws damaged_data  also each time that it is called again
  virtual progress unpack(std::span<const char> from, std::span<char> to) = 0;
  /// Whether the file may end here.
  [[nodiscard]] virtual bool complete() const noexcept = 0;
};

/// Compresses a file, piece by piece.
class packer {
 public:
  packer() = default;
  packer(const packer&) = delete;
  packer& operator=(const packer&) = delete;
  virtual ~packer() = default;

  /// Adds to `to` what is ready of all that came.
  virtual void pack(std::string_view from, std::string& to) = 0;
  /// Adds the rest.
  virtual void finish(std::string& to) = 0;
};

/// A way to compress files.
class packing {
 public:
  packing() = default;
  packing(const packing&) = delete;
  packing& operator=(const packing&) = delete;
  virtual ~packing() = default;

  /// The bytes of a file, from its first one, that `unpacks` must know; fewer, if the file has fewer.
  static constexpr std::size_t first_bytes = 4;

  /// Why it cannot be used; empty if it can.
  [[nodiscard]] virtual std::string problem() const = 0;
  /// Null if the file that begins so is not compressed. \throws damaged_data  if it cannot be unpacked
  [[nodiscard]] virtual std::unique_ptr<unpacker> unpacks(std::string_view first) const = 0;
  /// Null if a file of that name is not to be compressed.
  [[nodiscard]] virtual std::unique_ptr<packer> packs(const std::filesystem::path& target) const = 0;
};

/// For `automatic`; in `thalweg::compression`.
std::shared_ptr<const packing> automatic_packing();

}  // namespace stages

/// How a file is compressed: `{}` (it is not), `gzip()`, `zstd()`, or `automatic`: when it is read, what its
/// first bytes say; when it is written, what its name ends with (`.gz`, `.zst`, or else it is not
/// compressed).
class compression {
 public:
  compression() = default;
  explicit compression(std::shared_ptr<const stages::packing> way) : way_(std::move(way)) {}
  /// Accepts only `automatic`.
  compression(int asked)  // NOLINT(google-explicit-constructor)
      : way_(asked == automatic ? stages::automatic_packing()
                                : throw error(".compressed is gzip(), zstd() or automatic, not a number")) {}

  /// Null if nothing is compressed.
  [[nodiscard]] const std::shared_ptr<const stages::packing>& way() const noexcept { return way_; }
  [[nodiscard]] std::string problem() const { return way_ ? way_->problem() : std::string(); }

 private:
  std::shared_ptr<const stages::packing> way_{};
};

/// Files of gzip (RFC 1952), also of several members one behind the other. `level`, for files that are
/// written: 1 (fast) to 9 (small); `automatic`: 6.
///
/// Errors: another level is an `invalid_job`.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// #include <filesystem>
/// const std::filesystem::path path = "gzip-example";
/// const std::vector<std::string> words{"one", "two"};
/// tw::run(tw::source(words) | tw::file_sink(path, {.compressed = tw::gzip(9)}));
/// std::vector<std::string> seen;
/// tw::run(tw::lines(path, {.compressed = tw::automatic}) | tw::sink(seen));
/// assert(seen == words);
/// std::filesystem::remove(path);
/// ```
compression gzip(int level = automatic);

/// Files of zstd (RFC 8878), also of several frames. `level`, for files that are written: 1 (fast) to 22
/// (small, with much memory); `automatic`: 3.
///
/// Errors: another level is an `invalid_job`; so is any use where `thalweg::compression` was built without
/// zstd. A file whose frames need more than 128 MiB of memory (`zstd --long=28` and above) is an error.
///
/// Example: `gzip`.
compression zstd(int level = automatic);

}  // namespace THALWEG_NAMESPACE
