#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "apps/support/bytes.hpp"
#include "apps/support/stream_file.hpp"
#include "apps/support/temporary.hpp"

namespace apps {

/// A file's descriptor, closed by its owner.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(other.release()) {}
  descriptor& operator=(descriptor&& other) noexcept;
  ~descriptor() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset() noexcept;

 private:
  int fd_ = -1;
};

/// A file that is read, mostly from its start to its end. Errors are `apps::error`s that name it; so is that
/// it became shorter meanwhile. Where the program was told to stop, a read throws `apps::interruption`. What
/// is in it may come from another process (`read_from`).
///
/// ```cpp
/// apps::input_file in("text.xml");
/// char some[4096];
/// const std::size_t got = in.read(some, sizeof some);
/// ```
class input_file {
 public:
  explicit input_file(std::filesystem::path path);

  /// Reads until `size` bytes are there or the file ends; gives how many there are.
  std::size_t read(char* to, std::size_t size);
  /// Whether reading can go on at any place: not where bytes come from a pipe or another process.
  [[nodiscard]] bool can_seek() const { return size_ > 0; }
  /// Goes on reading there.
  void seek(std::uint64_t offset);
  /// In bytes, when it was opened; 0 for what is no regular file.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  descriptor file_;
  std::unique_ptr<coming_bytes> coming_;
  std::uint64_t size_ = 0;
};

/// A file that must not be there yet, written in its place: for a folder that is itself not in its place
/// before all is complete. Errors are `apps::error`s that name it.
///
/// ```cpp
/// apps::new_file out("folder/a.bin");
/// out.write("some bytes");
/// out.close();
/// ```
class new_file {
 public:
  explicit new_file(std::filesystem::path path);

  /// Each call writes at once.
  void write(std::string_view bytes);
  /// Waits until the bytes are on the disk.
  void sync();
  /// To be called once, last.
  void close();

 private:
  std::filesystem::path path_;
  descriptor file_;
};

/// All bytes of a file. Errors are `apps::error`s that name it.
bytes read_file(const std::filesystem::path& path);

/// Writes a whole file, as an `output_file`. Errors are `apps::error`s that name it.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// A file that is there when it is complete, and not before: it is written under a temporary name beside its
/// place, takes its place at `close()`, and is removed if that never comes. What is no regular file
/// (`/dev/null`) is written directly, a pipe at the end if something may be replaced. Errors are
/// `apps::error`s that name the file. What is written may go on to another process, piece by piece
/// (`send_on`).
///
/// ```cpp
/// apps::output_file out("text.bz2");
/// out.write("BZh9");
/// out.close();
/// ```
class output_file {
 public:
  /// `replaces`: whether there may be calls of `replace`. Then nothing can go on before all is complete.
  explicit output_file(std::filesystem::path path, bool replaces = false);
  output_file(output_file&& other) noexcept = default;
  output_file& operator=(output_file&&) = delete;
  ~output_file() = default;

  void write(std::string_view bytes);
  /// Writes over what has been written at `offset`, as far as `bytes` reach: for sizes that are known at the
  /// end. Not for a device.
  void replace(std::uint64_t offset, std::string_view bytes);
  /// Writes what is still held and puts the file into its place. To be called once, last.
  void close();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Bytes taken so far.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  void open();
  void put(std::string_view bytes);
  void flush();
  void send_through_pipe();
  void send_all_on();

  std::filesystem::path path_;
  taken_onward onward_;
  bool replaces_ = false;
  temporary temporary_;
  descriptor file_;
  descriptor pipe_;  // what goes there at the end
  bytes buffer_;
  std::uint64_t size_ = 0;
};

}  // namespace apps
