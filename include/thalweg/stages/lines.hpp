/// `lines`, `numbered_lines`, `stdin_lines`, `file_to_lines`, `file_to_numbered_lines`: text files, line by
/// line.
#pragma once

#include <thalweg/model/codec.hpp>
#include <thalweg/pattern/flat_map.hpp>
#include <thalweg/stages/building.hpp>
#include <thalweg/stages/compression.hpp>
#include <thalweg/stages/input.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// How a file is divided into lines.
struct lines_options {
  /// Lines may end with CR LF as well as with LF: a CR in front of an LF is no part of the line.
  bool crlf = false;
  /// Whether the file is compressed: `{}` (it is not), `gzip()`, `zstd()`, or `automatic`, which finds out by
  /// the first bytes of each file. All but `{}` need the library `thalweg::compression`.
  compression compressed = {};
  /// In bytes. A longer line is an error, so that a file without line ends does not fill the memory.
  std::int64_t longest = std::int64_t{64} << 20U;
};

/// A line and where it stands. It can travel (`codec`).
struct numbered_line {
  std::string text{};
  std::string file{};       ///< its path as it was given, or "standard input"
  std::int64_t number = 0;  ///< from 1, in each file
};
template <>
struct codec<numbered_line>
    : codec_of_members<&numbered_line::text, &numbered_line::file, &numbered_line::number> {};

namespace stages {

void check_lines(const lines_options& how, model::stage_info& info);

/// The lines of a file, without their ends.
class line_reader {
 public:
  line_reader(const std::filesystem::path& path, const lines_options& how)
      : in_(path, how.compressed), crlf_(how.crlf), longest_(static_cast<std::size_t>(how.longest)) {}

  /// Whether a whole line is there, which `take` gives.
  bool ready() noexcept {
    const auto ahead = in_.ahead();
    const auto* end = static_cast<const char*>(std::memchr(ahead.data(), '\n', ahead.size()));
    if (end == nullptr || broken_ != broken::no) return false;
    length_ = static_cast<std::size_t>(end - ahead.data());
    return length_ <= longest_;
  }
  std::string take() {
    const auto* line = in_.ahead().data();
    in_.take(length_ + 1);
    ++number_;
    return std::string(line, without_cr(line, length_));
  }
  /// Empty at the end, or when `stop` is requested while there is no whole line yet.
  std::optional<std::string> next(const std::stop_token& stop) {
    if (!ready()) return next_across(stop);
    return take();
  }
  /// Leaves out what `next` failed at, if it can go on behind it: a line that is too long.
  bool give_up() {
    if (broken_ != broken::too_long) return false;
    broken_ = broken::given_up;
    return true;
  }
  /// That of the last line.
  [[nodiscard]] std::int64_t number() const noexcept { return number_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return in_.path(); }

 private:
  enum class broken : std::uint8_t { no, too_long, given_up };

  [[nodiscard]] std::size_t without_cr(const char* line, std::size_t length) const noexcept {
    return crlf_ && length > 0 && line[length - 1] == '\r' ? length - 1 : length;
  }
  // A line that goes on after what was read, or the last one, or one that is too long.
  std::optional<std::string> next_across(const std::stop_token& stop);
  bool fill(const std::stop_token& stop);
  [[noreturn]] void refuse();

  input in_;
  bool crlf_;
  broken broken_ = broken::no;
  std::size_t longest_;
  std::size_t length_ = 0;
  std::int64_t number_ = 0;
  std::string begun_{};
};

/// The same with their places.
class numbered_line_reader {
 public:
  numbered_line_reader(const std::filesystem::path& path, const lines_options& how) : lines_(path, how) {}

  bool ready() noexcept { return lines_.ready(); }
  numbered_line take() { return here(lines_.take()); }
  std::optional<numbered_line> next(const std::stop_token& stop) {
    auto text = lines_.next(stop);
    if (!text) return {};
    return here(*std::move(text));
  }
  bool give_up() { return lines_.give_up(); }

 private:
  [[nodiscard]] numbered_line here(std::string text) const {
    return {std::move(text), lines_.path().native(), lines_.number()};
  }

  line_reader lines_;
};

/// The lines of several files, one after the other.
template <class Reader, class Item> class files_reader {
 public:
  files_reader(std::vector<std::filesystem::path> paths, lines_options how)
      : paths_(std::move(paths)), how_(std::move(how)) {}

  // It is made where it is wanted: moving a line would cost as much as finding a short one.
  std::optional<Item> next(const std::stop_token& stop) {
    if (reader_ && reader_->ready()) return reader_->take();
    return next_across(stop);
  }
  bool give_up_line() { return reader_ && reader_->give_up(); }
  void give_up_file() { go_on(); }

 private:
  std::optional<Item> next_across(const std::stop_token& stop) {
    while (at_ < paths_.size()) {
      if (!reader_) reader_.emplace(paths_[at_], how_);
      auto line = reader_->next(stop);
      if (line || stop.stop_requested()) return line;
      go_on();
    }
    return {};
  }
  void go_on() {
    reader_.reset();
    ++at_;
  }

  std::vector<std::filesystem::path> paths_;
  lines_options how_;
  std::size_t at_ = 0;
  std::optional<Reader> reader_{};
};

struct as_lines {
  static constexpr auto pattern = "lines";
  static constexpr auto pattern_of_file = "file_to_lines";
  using reader = line_reader;
  using item = std::string;
};
struct as_numbered_lines {
  static constexpr auto pattern = "numbered_lines";
  static constexpr auto pattern_of_file = "file_to_numbered_lines";
  using reader = numbered_line_reader;
  using item = numbered_line;
};
struct as_stdin_lines : as_lines {
  static constexpr auto pattern = "stdin_lines";
};

template <class As> struct read_lines {
  static constexpr auto pattern = As::pattern;
  using files = files_reader<typename As::reader, typename As::item>;
  std::vector<std::filesystem::path> paths;
  lines_options how;
  bool one;  // file, without which there is nothing
  unshared<files> reader{};

  void check(model::stage_info& info) const { check_lines(how, info); }
  std::optional<typename As::item> next(const std::stop_token& stop) {
    if (!reader) reader = std::make_unique<files>(paths, how);
    return reader->next(stop);
  }
  bool give_up() {
    if (reader->give_up_line()) return true;
    if (!one) reader->give_up_file();
    return !one;
  }
};

template <class As>
auto make_lines(std::vector<std::filesystem::path> paths, lines_options how, options opts, bool one) {
  // Who types, or writes into a pipe, may take any time.
  if (std::ranges::any_of(paths, is_stdin)) opts.blocking = opts.on != caller_thread;
  return make<read_stage>(read_lines<As>{std::move(paths), std::move(how), one}, std::move(opts));
}

template <class R>
concept paths = std::ranges::input_range<R> && !std::convertible_to<R, std::filesystem::path> &&
                std::convertible_to<std::ranges::range_reference_t<R>, std::filesystem::path>;

template <paths R> std::vector<std::filesystem::path> list_of(R&& range) {
  std::vector<std::filesystem::path> list;
  for (auto&& path : range) list.emplace_back(path);
  return list;
}

template <class As> struct split_into_lines {
  static constexpr auto pattern = As::pattern_of_file;
  lines_options how;

  void check(model::stage_info& info) const { check_lines(how, info); }
  void operator()(const std::filesystem::path& path, emitter<typename As::item>& out) const {
    if (out.stopping()) return;
    typename As::reader reader(path, how);
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
/// larger than the memory. `-` and `/dev/stdin` are the standard input; then it is as `stdin_lines`.
///
/// Order: deterministic. It waits for a file that others must write first (a pipe); `stop()` and `cancel()`
/// end that wait.
///
/// Errors: a file that is missing or cannot be read, whose compressed data is damaged or ends too early, or
/// that has a line longer than `.longest`, ends the run with a `std::filesystem::filesystem_error` that names
/// it, and the line. All lines before that come. `.on_error = tw::retry(...)` opens it, or reads, again;
/// `tw::skip` leaves out a line that is too long, and otherwise still ends the run. A `.longest` below 1, and
/// a `.compressed` that is not possible, are an `invalid_job`.
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
  return stages::make_lines<stages::as_lines>({std::move(path)}, std::move(how), std::move(opts), true);
}

/// The same of several files, one after the other, as `cat` would give them, but that the last line of each
/// needs no end. The paths are a range of what `std::filesystem::path` can be made from.
///
/// Order: deterministic. Errors: as for one file, but `.on_error = tw::skip` goes on with the next file: what
/// came of the one that failed stays.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// #include <filesystem>
/// #include <fstream>
/// std::ofstream("lines-a") << "one";
/// std::ofstream("lines-b") << "two\n";
/// std::vector<std::string> seen;
/// tw::run(tw::lines({"lines-a", "lines-none", "lines-b"}, {}, {.on_error = tw::skip}) | tw::sink(seen));
/// assert((seen == std::vector<std::string>{"one", "two"}));
/// for (auto name : {"lines-a", "lines-b"}) std::filesystem::remove(name);
/// ```
template <stages::paths R> auto lines(R&& paths, lines_options how = {}, options opts = {}) {
  return stages::make_lines<stages::as_lines>(stages::list_of(std::forward<R>(paths)), std::move(how),
                                              std::move(opts), false);
}
inline auto lines(std::initializer_list<std::filesystem::path> paths, lines_options how = {},
                  options opts = {}) {
  return stages::make_lines<stages::as_lines>(paths, std::move(how), std::move(opts), false);
}

/// A source of the lines of one file or of several, as `lines` gives them, each with its file and its number:
/// for stages that say where something is wrong.
///
/// Order, errors: as `lines`.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// #include <filesystem>
/// #include <fstream>
/// std::ofstream("numbered-example") << "1\ntwo\n";
/// std::string wrong;
/// auto note = tw::dead_letter([&](const tw::numbered_line& line, std::exception_ptr) {
///   wrong = line.file + ":" + std::to_string(line.number) + ": '" + line.text + "' is no number";
/// });
/// auto number = tw::map([](const tw::numbered_line& line) { return std::stoi(line.text); },
///                       {.on_error = note});
/// tw::run(tw::numbered_lines("numbered-example") | number | tw::sink([](int) {}));
/// assert(wrong == "numbered-example:2: 'two' is no number");
/// std::filesystem::remove("numbered-example");
/// ```
inline auto numbered_lines(std::filesystem::path path, lines_options how = {}, options opts = {}) {
  return stages::make_lines<stages::as_numbered_lines>({std::move(path)}, std::move(how), std::move(opts),
                                                       true);
}
template <stages::paths R> auto numbered_lines(R&& paths, lines_options how = {}, options opts = {}) {
  return stages::make_lines<stages::as_numbered_lines>(stages::list_of(std::forward<R>(paths)),
                                                       std::move(how), std::move(opts), false);
}
inline auto numbered_lines(std::initializer_list<std::filesystem::path> paths, lines_options how = {},
                           options opts = {}) {
  return stages::make_lines<stages::as_numbered_lines>(paths, std::move(how), std::move(opts), false);
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
  return stages::make_lines<stages::as_stdin_lines>({"-"}, std::move(how), std::move(opts), true);
}

/// From the path of a file to its lines, as `lines` gives them.
///
/// Order: deterministic; in a farm, too: `farm(file_to_lines())` reads several files at once, unpacks them if
/// they are compressed, and gives their lines in the order of the files.
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
  using as = stages::as_lines;
  return stages::make<model::flat_map_of<as::item>::stage>(stages::split_into_lines<as>{std::move(how)},
                                                           std::move(opts));
}

/// From the path of a file to its lines with their places, as `numbered_lines` gives them.
///
/// Order, errors: as `file_to_lines`. Example: `numbered_lines`.
inline auto file_to_numbered_lines(lines_options how = {}, options opts = {}) {
  using as = stages::as_numbered_lines;
  return stages::make<model::flat_map_of<as::item>::stage>(stages::split_into_lines<as>{std::move(how)},
                                                           std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
