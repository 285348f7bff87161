/// `file_sink`: a file that is there when the stream has ended well, and not before; or one that grows.
#pragma once

#include <thalweg/model/plain.hpp>
#include <thalweg/model/ranges.hpp>
#include <thalweg/pattern/sink.hpp>
#include <thalweg/stages/atomic_file.hpp>
#include <thalweg/stages/building.hpp>
#include <thalweg/stages/clock.hpp>
#include <thalweg/stages/compression.hpp>
#include <thalweg/stages/live_file.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace THALWEG_NAMESPACE {

/// How a file is written.
struct file_sink_options {
  /// What is written after each text, which makes it a line. Empty for texts that have their ends, or need
  /// none.
  std::string line_end = "\n";
  /// Makes sure that the file outlives a loss of power before the run ends: `fsync` of the file and its
  /// directory. For a file that grows: with each `.flush_every`, when it is put aside, and at the end.
  bool sync = false;
  /// Whether the file is compressed: `{}` (it is not), `gzip(level)`, `zstd(level)`, or `automatic`, by what
  /// its name ends with. All but `{}` need the library `thalweg::compression`. Not for a file that grows.
  compression compressed = {};

  // Any of these makes a file that grows where it is, for a service that has no end: others see what was
  // written, and it stays, however the run ends. There is no temporary file.

  /// Adds to the end of the file. Without it, and without `.rotate`, its content is replaced.
  bool append = false;
  /// Items are in the file after at most this long. 0: after every 256 KiB, and at the end.
  std::chrono::nanoseconds flush_every{0};
  /// When a file is put aside, and a new one begun. What the file had at the beginning is also put aside,
  /// unless `.append` goes on with it.
  file_rotation rotate = {};
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

}  // namespace stages
template <> inline constexpr bool model::refers_elsewhere<stages::text_or_bytes> = true;
namespace stages {

struct write_file {
  static constexpr auto pattern = "file_sink";
  std::filesystem::path path;
  file_sink_options how;
  unshared<atomic_file> file{};
  unshared<live_file> live{};
  bool told = false;

  [[nodiscard]] bool grows() const {
    return how.append || how.flush_every.count() > 0 || how.rotate.bytes > 0 || how.rotate.every.count() > 0;
  }
  [[nodiscard]] bool timed() const { return how.flush_every.count() > 0 || how.rotate.every.count() > 0; }
  void check(model::stage_info& info) const;

  void on_start() {
    if (grows()) {
      live = std::make_unique<live_file>(
          path, live_file::options{how.append, how.sync, how.flush_every, how.rotate});
    } else {
      file = std::make_unique<atomic_file>(path, how.sync, how.compressed);
    }
  }
  void operator()(text_or_bytes item) {
    const std::string_view end = item.is_text ? std::string_view(how.line_end) : std::string_view();
    if (!live) {
      file->write(item.bytes);
      file->write(end);
    } else {
      write_and_tell(item.bytes, end);
    }
  }
  void on_time(std::int64_t now);
  void on_end() {
    if (live) {
      live->close();
    } else {
      file->commit();
    }
  }

 private:
  void write_and_tell(std::string_view bytes, std::string_view end);
  void tell_of_success();
  void tell(const std::filesystem::filesystem_error& why);
};

template <class In, class F> struct file_sink_op : model::sink_op<In, F> {
  // Read by whichever thread waits for it.
  std::atomic<std::int64_t> when{live_file::never};

  void start() {
    model::sink_op<In, F>::start();
    note();
  }
  template <class Frame, class T> THALWEG_INLINE void step(Frame& f, T&& item) {
    if (this->fn.live) {
      model::sink_op<In, F>::step(f, std::forward<T>(item));
      note();
      return;
    }
    this->fn.file->discard_on(f.ctx.stop);
    try {
      model::sink_op<In, F>::step(f, std::forward<T>(item));
    } catch (model::stage_failure& failure) {
      failure.final = true;  // nothing is kept, so there is nothing to go on with
      throw;
    }
  }
  // A source that ends because of a cancel must not look like the end of the stream.
  template <class Frame, class Next> void finish(Frame& f, Next& next) {
    when.store(live_file::never, std::memory_order_relaxed);
    if (this->fn.file) this->fn.file->discard_on(f.ctx.stop);
    model::sink_op<In, F>::finish(f, next);
  }

  [[nodiscard]] std::int64_t deadline() const { return when.load(std::memory_order_relaxed); }

  template <class Frame, class Next> void on_time(Frame& f, Next&) {
    struct noting {  // also if it fails: the next try is later
      file_sink_op& op;
      ~noting() { op.note(); }
    } const when_done{*this};
    f.call([&] { this->fn.on_time(now_ns()); });
  }

 private:
  void note() noexcept {
    if (!this->fn.live) return;
    if (const auto next = this->fn.live->deadline(); next != deadline())
      when.store(next, std::memory_order_relaxed);
  }
};

template <class Fn> struct file_sink_stage : model::stage_defaults, model::function_stage<file_sink_op, Fn> {
  static constexpr bool is_sink = true;
  static constexpr bool one_to_one = true;
  using wants = std::type_identity<text_or_bytes>;
  [[nodiscard]] bool timed() const { return this->fn.timed(); }
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

/// Writes a file: texts as lines (`.line_end` after each), blocks of bytes as they are. It writes to a
/// temporary file beside the target, which replaces the target when the stream has ended, after `stop()` too.
/// Readers of the target see the old file or the whole new one. If the run fails or is cancelled, the target
/// stays as it was, and the temporary file is removed at once; before the first item has arrived, when the
/// `execution` is gone.
///
/// The new file gets the permissions of the old one; a symbolic link to a file stays, and the file is
/// replaced. The temporary file is called `.NAME.PID-N.tmp`: only a killed process leaves it behind.
///
/// With `.append`, `.flush_every` or `.rotate` the file grows where it is: others see what has been written,
/// and that stays if the run fails or is cancelled. A service whose log is put aside when it has 10 MB writes
/// `tw::file_sink("log.txt", {.append = true, .flush_every = 1s, .rotate = {.bytes = 10'000'000, .keep =
/// 5}})`. With a time among these options it has its own thread under `pool` and `threads`; under
/// `sequential` it looks at the time when its one thread gets there.
///
/// Order: deterministic; it is serial, and refused in a farm. The file is opened by the run, before the first
/// item.
///
/// Errors: a file that cannot be created, written (the disk is full) or replaced (it is a directory, or
/// otherwise not a regular file) ends the run with a `std::filesystem::filesystem_error` that names the
/// target, as soon as a call fails. A file that is written as a whole needs all its parts, so `.on_error`
/// does not help there. A growing file does not: with `tw::skip` an item that cannot be written is left out
/// and counted, `tw::retry` waits for room on the disk, and the log (`observe::set_log_handler`) says when
/// the trouble begins and when it is over; earlier items are kept, and written when that is possible. Items
/// that cannot be written at the end fail the run. An empty path, negative options, a `.rotate` without a
/// size or time, and a `.compressed` that is not possible are an `invalid_job`.
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

}  // namespace THALWEG_NAMESPACE
