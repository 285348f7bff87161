/// `files`, `directory_to_files`: the files of a directory.
#pragma once

#include <thalweg/pattern/flat_map.hpp>
#include <thalweg/stages/building.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// Which files of a directory, and in which order.
struct files_options {
  /// Also those of the directories in it. Links to directories are not followed.
  bool recursive = false;
  /// What the names of the files must match, as shells do it: `*.txt`, `part-??`, `[a-c]*`. The names of
  /// directories do not matter, and a leading '.' is like any other character.
  std::string pattern = "*";
  /// By path: always the same order. Otherwise as the file system gives them, which needs no memory for the
  /// names of a directory's files.
  bool sorted = true;
};

namespace stages {

/// Goes through a directory. Errors are `std::filesystem::filesystem_error`s with the path of the directory
/// that cannot be listed.
class directory_walk {
 public:
  directory_walk(std::filesystem::path top, files_options how)
      : how_(std::move(how)), to_open_(std::move(top)) {}

  /// The next file; empty at the end, or when `stop` is requested. The next call tries again what failed,
  /// unless it is given up.
  std::optional<std::filesystem::path> next(const std::stop_token& stop);
  void give_up();

 private:
  struct level {
    std::filesystem::path path;
    std::filesystem::directory_iterator live;                // unsorted
    std::vector<std::filesystem::directory_entry> sorted{};  // or all at once
    std::size_t at = 0;
    std::error_code failed{};
  };
  void open(const std::filesystem::path& directory);
  std::optional<std::filesystem::directory_entry> next_entry(level& from) const;

  files_options how_;
  std::optional<std::filesystem::path> to_open_;
  std::vector<level> levels_{};
};

void check_files(const files_options& how, model::stage_info& info);

struct read_files {
  static constexpr auto pattern = "files";
  std::filesystem::path directory;
  files_options how;
  unshared<directory_walk> walk{};

  void check(model::stage_info& info) const { check_files(how, info); }
  std::optional<std::filesystem::path> next(const std::stop_token& stop) {
    if (!walk) walk = std::make_unique<directory_walk>(directory, how);
    return walk->next(stop);
  }
  bool give_up() {
    if (walk) walk->give_up();
    return walk != nullptr;
  }
};

struct split_into_files {
  static constexpr auto pattern = "directory_to_files";
  files_options how;

  void check(model::stage_info& info) const { check_files(how, info); }
  void operator()(const std::filesystem::path& directory, emitter<std::filesystem::path>& out) const {
    directory_walk walk(directory, how);
    while (!out.stopping()) {
      auto file = walk.next(out.stopping_token());
      if (!file) return;
      out.send(*std::move(file));
    }
  }
};

}  // namespace stages

/// A source of the paths of the files in a directory, each beginning with `directory` as it was given:
/// regular files and links to them, no directories. Files that are created or removed during the run may or
/// may not be among them.
///
/// Order: deterministic if `.sorted` (default): as a sorted list of the paths, directory by directory.
///
/// Errors: a directory that is missing, is not a directory or may not be read ends the run with a
/// `std::filesystem::filesystem_error` that names it. `.on_error = tw::skip` leaves out what cannot be read
/// and goes on with the rest. An empty pattern is an `invalid_job`.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// #include <filesystem>
/// #include <fstream>
/// const std::filesystem::path folder = "files-example";
/// std::filesystem::create_directories(folder / "more");
/// for (auto name : {"b.txt", "a.txt", "a.log", "more/c.txt"}) std::ofstream(folder / name) << name;
/// std::vector<std::filesystem::path> seen;
/// tw::run(tw::files(folder, {.recursive = true, .pattern = "*.txt"}) | tw::sink(seen));
/// assert((seen == std::vector{folder / "a.txt", folder / "b.txt", folder / "more/c.txt"}));
/// std::filesystem::remove_all(folder);
/// ```
inline auto files(std::filesystem::path directory, files_options how = {}, options opts = {}) {
  return stages::make<stages::read_stage>(stages::read_files{std::move(directory), std::move(how)},
                                          std::move(opts));
}

/// From the path of a directory to those of its files, as `files` gives them.
///
/// Order: deterministic if `.sorted`, in a farm too. Errors: as `files`; with `.on_error = tw::skip` a
/// directory of which a part cannot be read gives no files at all. After `stop()` it goes no further.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// #include <filesystem>
/// #include <fstream>
/// const std::filesystem::path folder = "directory-to-files-example";
/// std::filesystem::create_directories(folder);
/// std::ofstream(folder / "a.txt") << "one\ntwo\n";
/// int lines = 0;
/// tw::run(tw::source(std::vector{folder}) | tw::directory_to_files() | tw::file_to_lines() |
///         tw::sink([&](const std::string&) { ++lines; }));
/// assert(lines == 2);
/// std::filesystem::remove_all(folder);
/// ```
inline auto directory_to_files(files_options how = {}, options opts = {}) {
  return stages::make<model::flat_map_of<std::filesystem::path>::stage>(
      stages::split_into_files{std::move(how)}, std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
