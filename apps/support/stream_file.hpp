/// Files of a program that are none: what it writes there goes on to another process, what it reads comes
/// from one. Who carries the bytes says so for a path, before that is opened.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

namespace apps {

/// Takes what is written. What is destroyed before `close` was given up.
class onward_bytes {
 public:
  virtual ~onward_bytes() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Behind the last byte: waits until all have been taken.
  virtual void close() = 0;
};

/// Gives what is read.
class coming_bytes {
 public:
  virtual ~coming_bytes() = default;
  /// Up to so many bytes, as they come; 0 at the end.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// The next `output_file` of that path sends what is written on. `keep`: it is written there, too.
void send_on(const std::filesystem::path& path, std::unique_ptr<onward_bytes> to, bool keep);
/// The next `input_file` of that path reads from there. There need be no such file.
void read_from(const std::filesystem::path& path, std::unique_ptr<coming_bytes> from);
/// Whether something that was said of a path has not been made use of.
bool is_stream_left();

/// What was said of a path; for `output_file` and `input_file`.
struct taken_onward {
  std::unique_ptr<onward_bytes> to;
  bool keep = true;
};
taken_onward take_onward(const std::filesystem::path& path);
std::unique_ptr<coming_bytes> take_coming(const std::filesystem::path& path);

}  // namespace apps
