/// `file_rotation`: when a file that grows is closed, and the next one begun.
#pragma once

#include <thalweg/version.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE {

/// When a file is put aside, and a new one begun.
struct file_rotation {
  /// Before a file would become larger, in bytes. An item is never divided: a larger one has a file for
  /// itself. 0: of any size.
  std::int64_t bytes = 0;
  /// When this much time has passed since it was begun. A file without content stays. 0: of any age.
  std::chrono::nanoseconds every{0};
  /// How many of the files put aside are kept: the oldest ones are removed. 0: all.
  std::int64_t keep = 0;
  /// The name of what is put aside: `NAME.1`, `NAME.2` and so on, the next number that is free; or `NAME.`
  /// and the time (UTC) at which that happens, as in `NAME.20260131T235959Z`, and `-2` and so on behind where
  /// there is one already.
  bool named_by_time = false;
};

namespace stages {

/// A file that others may read while it is written. It collects what is written, and writes it to the file at
/// a `flush`, or when there is enough. Errors are `std::filesystem::filesystem_error`s with the path; after
/// one it may be tried again: what has been taken is kept. One thread at a time.
class live_file {
 public:
  static constexpr auto never = std::numeric_limits<std::int64_t>::max();

  struct options {
    bool append = false;
    bool sync = false;
    std::chrono::nanoseconds flush_every{0};
    file_rotation rotate = {};
  };

  live_file(const std::filesystem::path& target, options how);
  live_file(const live_file&) = delete;
  live_file& operator=(const live_file&) = delete;
  /// Writes what it can; errors are lost.
  ~live_file();

  /// Takes an item, which is not divided between two files. If it throws, nothing of the item is taken.
  void write(std::string_view bytes, std::string_view line_end);
  /// Does what is due `now` (steady clock, ns).
  void on_time(std::int64_t now);
  /// When something is due next; `never`: not until something is written.
  [[nodiscard]] std::int64_t deadline() const noexcept;
  /// Writes all that was taken; with `sync` to the disk.
  void flush();
  void close();
  /// The last try to write has failed.
  [[nodiscard]] bool failing() const noexcept { return failing_; }

 private:
  [[nodiscard]] int open_file(bool append);
  [[nodiscard]] bool has_content() const noexcept { return size_ + used() > 0; }
  [[nodiscard]] std::int64_t used() const noexcept { return static_cast<std::int64_t>(taken_.size()); }
  void put(std::string_view bytes);
  void spill();
  void rotate();
  [[nodiscard]] std::filesystem::path next_name();
  void remove_oldest() const;
  void begin_period();
  [[noreturn]] void fail(const char* what, int error);

  std::filesystem::path target_;
  options how_;
  int fd_ = -1;
  bool regular_ = false;
  bool put_aside_ = false;  // the open file has another name already
  bool failing_ = false;
  std::int64_t size_ = 0;  // of the file, without what was only taken
  std::string taken_;
  std::int64_t flush_at_ = never;
  std::int64_t rotate_at_ = never;
};

}  // namespace stages
}  // namespace THALWEG_NAMESPACE
