#include "apps/support/output_folder.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "apps/support/error.hpp"

namespace apps {

namespace fs = std::filesystem;

namespace {

void check_written(const fs::path& path, const std::error_code& why) {
  if (why) throw error("cannot write '" + path.string() + "': " + why.message());
}

// "a/b/" is a folder's name, too: that of "a/b".
fs::path without_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

output_folder::output_folder(const fs::path& path, judge may_replace)
    : path_(without_slash(path)), may_replace_(std::move(may_replace)) {
  check();
  const auto beside = fs::path(temporary_beside(path_));
  std::error_code why;
  const bool made = fs::create_directory(beside, why);
  check_written(path_, made || why ? why : std::make_error_code(std::errc::file_exists));
  temporary_ = temporary(beside);
}

void output_folder::check() const {
  std::error_code none;
  const auto there = fs::symlink_status(path_, none);
  if (fs::exists(there) && !(fs::is_directory(there) && may_replace_(path_)))
    throw error("'" + path_.string() + "' is there already, and is not replaced: it is something else");
}

void output_folder::close() {
  check();
  std::error_code why;
  const auto before = fs::path(temporary_beside(path_));
  const bool replaces = fs::exists(path_, why);
  if (replaces) fs::rename(path_, before, why);
  check_written(path_, why);
  temporary_.rename(path_, why);
  if (why) {
    std::error_code ignored;
    if (replaces) fs::rename(before, path_, ignored);
    check_written(path_, why);
  }
  if (replaces) fs::remove_all(before, why);
}

}  // namespace apps
