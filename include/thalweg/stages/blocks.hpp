/// `blocks`, `file_to_blocks`: files, block by block.
#pragma once

#include <thalweg/pattern/flat_map.hpp>
#include <thalweg/stages/building.hpp>
#include <thalweg/stages/input.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

namespace stages {

using block = std::vector<std::byte>;

/// The bytes of a file in blocks of `size`; the last may be short.
class block_reader {
 public:
  block_reader(std::filesystem::path path, std::int64_t size)
      : in_(std::move(path)), size_(static_cast<std::size_t>(size)) {}

  /// Empty at the end, or when `stop` is requested while the next block is not there.
  std::optional<block> next(const std::stop_token& stop);

 private:
  input in_;
  std::size_t size_;
  block begun_{};
  std::size_t got_ = 0;
};

void check_block_size(std::int64_t size, model::stage_info& info);

struct read_blocks {
  static constexpr auto pattern = "blocks";
  std::filesystem::path path;
  std::int64_t size;
  unshared<block_reader> reader{};

  void check(model::stage_info& info) const { check_block_size(size, info); }
  std::optional<block> next(const std::stop_token& stop) {
    if (!reader) reader = std::make_unique<block_reader>(path, size);
    return reader->next(stop);
  }
  static bool give_up() { return false; }
};

struct split_into_blocks {
  static constexpr auto pattern = "file_to_blocks";
  std::int64_t size;

  void check(model::stage_info& info) const { check_block_size(size, info); }
  void operator()(const std::filesystem::path& path, emitter<block>& out) const {
    if (out.stopping()) return;
    block_reader reader(path, size);
    const auto stop = out.stopping_token();
    while (auto bytes = reader.next(stop)) {
      out.send(*std::move(bytes));
      if (stop.stop_requested()) return;
    }
  }
};

}  // namespace stages

/// A source of the bytes of a file, as `std::vector<std::byte>`s of `size` bytes; the last may be shorter,
/// and is never empty. The file may be larger than the memory: only a few blocks exist at once.
///
/// Order: deterministic. Errors: those of `lines`; a size below 1 is an `invalid_job`.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// #include <filesystem>
/// #include <fstream>
/// const std::filesystem::path path = "blocks-example";
/// std::ofstream(path) << "12345678";
/// std::vector<std::size_t> sizes;
/// tw::run(tw::blocks(path, 3) | tw::map([](const std::vector<std::byte>& block) { return block.size(); }) |
///         tw::sink(sizes));
/// assert((sizes == std::vector<std::size_t>{3, 3, 2}));
/// std::filesystem::remove(path);
/// ```
inline auto blocks(std::filesystem::path path, std::int64_t size, options opts = {}) {
  return stages::make<stages::read_stage>(stages::read_blocks{std::move(path), size}, std::move(opts));
}

/// From the path of a file to its bytes, as `blocks` gives them. No block holds bytes of two files.
///
/// Order: deterministic, in a farm too. `stop()` as in `file_to_lines`. Errors: those of `file_to_lines`, and
/// of `blocks`.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// #include <filesystem>
/// #include <fstream>
/// const std::filesystem::path path = "file-to-blocks-example";
/// std::ofstream(path) << "123";
/// std::size_t bytes = 0;
/// tw::run(tw::source(std::vector{path, path}) | tw::farm(tw::file_to_blocks(2)) |
///         tw::sink([&](const std::vector<std::byte>& block) { bytes += block.size(); }));
/// assert(bytes == 6);
/// std::filesystem::remove(path);
/// ```
inline auto file_to_blocks(std::int64_t size, options opts = {}) {
  return stages::make<model::flat_map_of<stages::block>::stage>(stages::split_into_blocks{size},
                                                                std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
