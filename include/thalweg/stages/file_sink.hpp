/// `file_sink`: a file that is there when the stream has ended well, and not before.
#pragma once

#include <thalweg/model/ranges.hpp>
#include <thalweg/pattern/sink.hpp>
#include <thalweg/stages/atomic_file.hpp>
#include <thalweg/stages/building.hpp>

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace thalweg {

/// How a file is written.
struct file_sink_options {
  /// What is written behind each text: each is a line. Empty for texts that have their ends, or need none.
  std::string line_end = "\n";
  /// Makes sure that the file outlives a loss of power before the run ends: `fsync` of the file and its
  /// directory.
  bool sync = false;
};

namespace stages {

template <class T>
concept byte_sized = std::same_as<T, std::byte> || std::same_as<T, char> || std::same_as<T, unsigned char>;

template <class T>
concept text_item = std::convertible_to<const T&, std::string_view>;

template <class T>
concept bytes_item = !text_item<T> && std::ranges::contiguous_range<const T> &&
                     std::ranges::sized_range<const T> && byte_sized<std::ranges::range_value_t<const T>>;

/// What a file sink takes: texts (strings, string views, paths), and bytes (vectors, arrays and spans of
/// std::byte, char or unsigned char).
struct text_or_bytes {
  std::string_view bytes;
  bool is_text;

  template <text_item T> text_or_bytes(const T& text) : bytes(text), is_text(true) {}
  template <bytes_item T>
  text_or_bytes(const T& data)
      : bytes(reinterpret_cast<const char*>(std::ranges::data(data)), std::ranges::size(data)),
        is_text(false) {}
  template <std::same_as<std::filesystem::path> T>
  text_or_bytes(const T& path) : bytes(path.native()), is_text(true) {}
};

struct write_file {
  static constexpr auto pattern = "file_sink";
  std::filesystem::path path;
  file_sink_options how;
  unshared<atomic_file> file{};

  void check(model::stage_info& info) const {
    if (path.empty()) info.problems.emplace_back("its path is empty");
  }
  void on_start() { file = std::make_unique<atomic_file>(path, how.sync); }
  void operator()(text_or_bytes item) {
    file->write(item.bytes);
    if (item.is_text) file->write(how.line_end);
  }
  void on_end() { file->commit(); }
};

template <class In, class F> struct file_sink_op : model::sink_op<In, F> {
  template <class Frame, class T> THALWEG_INLINE void step(Frame& f, T&& item) {
    this->fn.file->discard_on(f.ctx.stop);
    model::sink_op<In, F>::step(f, std::forward<T>(item));
  }
  // A source that ends because of a cancel must not look like the end of the stream.
  template <class Frame, class Next> void finish(Frame& f, Next& next) {
    this->fn.file->discard_on(f.ctx.stop);
    model::sink_op<In, F>::finish(f, next);
  }
};

template <class Fn> struct file_sink_stage : model::stage_defaults, model::function_stage<file_sink_op, Fn> {
  static constexpr bool is_sink = true;
  static constexpr bool one_to_one = true;
  using wants = std::type_identity<text_or_bytes>;
  template <class In> static constexpr bool accepts = std::convertible_to<const In&, text_or_bytes>;
  template <class In>
  static constexpr bool accepts_shared = [] {
    static_assert(std::is_void_v<In>,
                  "thalweg::file_sink: replicas cannot write one file: put it behind the tw::farm");
    return false;
  }();
  template <class In> using output = model::nothing;
};

}  // namespace stages

/// Writes a file: texts as lines (`.line_end` behind each), blocks of bytes as they are. What is written goes
/// to a temporary file beside the target, which takes the target's place when the stream has ended, after
/// `stop()` too. Who opens the target sees the old file or the whole new one. If the run fails or is
/// cancelled, the target stays as it was, and the temporary file is removed at once; before the first item
/// has arrived, when the `execution` is gone.
///
/// A file that is replaced leaves its permissions to the new one; a symbolic link to a file stays, and the
/// file is replaced. The temporary file is called `.NAME.PID-N.tmp`: only a process that is killed leaves
/// it behind.
///
/// Order: deterministic; it is serial, and refused in a farm. The file is opened by the run, before the first
/// item.
///
/// Errors: what cannot be created, written (the disk is full) or replaced (it is a directory, or another
/// thing that is no regular file) ends the run with a `std::filesystem::filesystem_error` that names the
/// target. A write that has failed cannot be repeated, so under `.on_error` the run fails all the same, at
/// its end. An empty path is an `invalid_job`.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// #include <filesystem>
/// #include <fstream>
/// const std::filesystem::path path = "file-sink-example";
/// tw::run(tw::source(std::vector<std::string>{"one", "two"}) | tw::file_sink(path));
/// std::stringstream text;
/// text << std::ifstream(path).rdbuf();
/// assert(text.str() == "one\ntwo\n");
/// std::filesystem::remove(path);
/// ```
inline auto file_sink(std::filesystem::path path, file_sink_options how = {}, options opts = {}) {
  return stages::make<stages::file_sink_stage>(stages::write_file{std::move(path), std::move(how)},
                                               std::move(opts));
}

}  // namespace thalweg
