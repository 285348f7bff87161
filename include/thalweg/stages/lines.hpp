/// `lines`, `stdin_lines`, `file_to_lines`: text files, line by line.
#pragma once

#include <thalweg/pattern/flat_map.hpp>
#include <thalweg/stages/building.hpp>
#include <thalweg/stages/input.hpp>

#include <cstring>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace THALWEG_NAMESPACE {

/// How a file is divided into lines.
struct lines_options {
  /// Lines may end with CR LF as well as with LF: a CR in front of an LF is no part of the line.
  bool crlf = false;
};

namespace stages {

/// The lines of a file, without their ends.
class line_reader {
 public:
  line_reader(std::filesystem::path path, lines_options how) : in_(std::move(path)), how_(how) {}
  line_reader(int fd, std::filesystem::path name, lines_options how) : in_(fd, std::move(name)), how_(how) {}

  /// Empty at the end, or when `stop` is requested while there is no whole line yet.
  std::optional<std::string> next(const std::stop_token& stop) {
    const auto ahead = in_.ahead();
    const auto* end = static_cast<const char*>(std::memchr(ahead.data(), '\n', ahead.size()));
    if (end == nullptr) return next_across(stop);
    const auto length = static_cast<std::size_t>(end - ahead.data());
    in_.take(length + 1);
    return std::string(ahead.data(), without_cr(ahead.data(), length));
  }

 private:
  [[nodiscard]] std::size_t without_cr(const char* line, std::size_t length) const noexcept {
    return how_.crlf && length > 0 && line[length - 1] == '\r' ? length - 1 : length;
  }
  // A line that goes on after what was read, or the last one.
  std::optional<std::string> next_across(const std::stop_token& stop);

  input in_;
  lines_options how_;
  std::string begun_{};
};

struct read_lines {
  static constexpr auto pattern = "lines";
  std::filesystem::path path;
  lines_options how;
  unshared<line_reader> reader{};

  std::optional<std::string> next(const std::stop_token& stop) {
    if (!reader) reader = std::make_unique<line_reader>(path, how);
    return reader->next(stop);
  }
  static bool give_up() { return false; }
};

struct read_stdin_lines {
  static constexpr auto pattern = "stdin_lines";
  lines_options how;
  unshared<line_reader> reader{};

  std::optional<std::string> next(const std::stop_token& stop) {
    if (!reader) reader = std::make_unique<line_reader>(0, "standard input", how);
    return reader->next(stop);
  }
  static bool give_up() { return false; }
};

struct split_into_lines {
  static constexpr auto pattern = "file_to_lines";
  lines_options how;

  void operator()(const std::filesystem::path& path, emitter<std::string>& out) const {
    if (out.stopping()) return;
    line_reader reader(path, how);
    const auto stop = out.stopping_token();
    while (auto line = reader.next(stop)) {
      out.send(*std::move(line));
      if (stop.stop_requested()) return;
    }
  }
};

}  // namespace stages

/// A source of the lines of a file, as `std::string`s without their ends. The last line needs no end; bytes
/// that are not text pass as they are. The file is opened by the run and read in large pieces; it may be
/// larger than the memory, a single line may not.
///
/// Order: deterministic. It waits for a file that others must write first (a pipe); `stop()` and `cancel()`
/// end that wait.
///
/// Errors: a file that is missing or cannot be read ends the run with a `std::filesystem::filesystem_error`
/// that names it. `.on_error = tw::retry(...)` opens it, or reads, again; `tw::skip` still ends the run.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// #include <filesystem>
/// #include <fstream>
/// const std::filesystem::path path = "lines-example";
/// std::ofstream(path) << "one\ntwo\n\nthree";
/// std::vector<std::string> seen;
/// tw::run(tw::lines(path) | tw::sink(seen));
/// assert((seen == std::vector<std::string>{"one", "two", "", "three"}));
/// std::filesystem::remove(path);
/// ```
inline auto lines(std::filesystem::path path, lines_options how = {}, options opts = {}) {
  return stages::make<stages::read_stage>(stages::read_lines{std::move(path), how}, std::move(opts));
}

/// A source of the lines of the standard input, each as soon as it is there. It is `.blocking` (unless it is
/// on the caller's thread), since it waits for input. `stop()` and `cancel()` end the wait; incomplete lines
/// and what was read ahead are then lost.
///
/// Order: deterministic. Errors: as `lines`; they name "standard input".
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// auto job = tw::stdin_lines() | tw::sink([](const std::string& line) { std::cout << line << '\n'; });
/// assert(tw::to_json(job).find("stdin_lines") != std::string::npos);
/// ```
inline auto stdin_lines(lines_options how = {}, options opts = {}) {
  opts.blocking = opts.on != caller_thread;
  return stages::make<stages::read_stage>(stages::read_stdin_lines{how}, std::move(opts));
}

/// From the path of a file to its lines, as `lines` gives them.
///
/// Order: deterministic; in a farm, too: `farm(file_to_lines())` reads several files at once, and gives their
/// lines in the order of the files.
///
/// After `execution::stop()` it reads no further: the lines of the current file that were read come through,
/// nothing of the files that wait, and it does not wait for a pipe.
///
/// Errors: as `lines`. With `.on_error` a file's lines are kept until it has been read to its end, since a
/// file that fails must give none: then each file must fit into memory.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// #include <filesystem>
/// #include <fstream>
/// const std::filesystem::path path = "file-to-lines-example";
/// std::ofstream(path) << "a\r\nb\r\n";
/// std::vector<std::string> seen;
/// auto names = tw::source(std::vector{path, path});
/// tw::run(names | tw::farm(tw::file_to_lines({.crlf = true})) | tw::sink(seen));
/// assert((seen == std::vector<std::string>{"a", "b", "a", "b"}));
/// std::filesystem::remove(path);
/// ```
inline auto file_to_lines(lines_options how = {}, options opts = {}) {
  return stages::make<model::flat_map_of<std::string>::stage>(stages::split_into_lines{how}, std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
