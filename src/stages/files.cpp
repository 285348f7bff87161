#include <thalweg/stages/files.hpp>

#include <algorithm>

#include <fnmatch.h>

namespace THALWEG_NAMESPACE::stages {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_to_list(const fs::path& directory, std::error_code why) {
  throw fs::filesystem_error("cannot list the directory", directory, why);
}

}  // namespace

std::optional<fs::path> directory_walk::next(const std::stop_token& stop) {
  // Between two files that match there may be very many that do not.
  while (!stop.stop_requested()) {
    if (to_open_) {
      open(*to_open_);
      to_open_.reset();
    }
    if (levels_.empty()) return {};
    auto entry = next_entry(levels_.back());
    if (!entry) {
      levels_.pop_back();
      continue;
    }
    // What has vanished meanwhile, and links to nothing, are no files.
    std::error_code unknown;
    if (how_.recursive && entry->is_directory(unknown) && !entry->is_symlink(unknown)) {
      to_open_ = entry->path();
    } else if (::fnmatch(how_.pattern.c_str(), entry->path().filename().c_str(), 0) == 0 &&
               entry->is_regular_file(unknown)) {
      return entry->path();
    }
  }
  return {};
}

void directory_walk::give_up() {
  if (to_open_) {
    to_open_.reset();
  } else if (!levels_.empty()) {
    levels_.pop_back();
  }
}

void directory_walk::open(const fs::path& directory) {
  std::error_code why;
  level opened{directory, fs::directory_iterator(directory, why)};
  if (why) fail_to_list(directory, why);
  if (how_.sorted) {
    for (const fs::directory_iterator end; opened.live != end;) {
      opened.sorted.push_back(*opened.live);
      opened.live.increment(why);
      if (why) fail_to_list(directory, why);
    }
    // All begin with the same directory. Depth first, this is the order of whole paths.
    std::ranges::sort(opened.sorted, {}, [](const auto& e) -> const auto& { return e.path().native(); });
  }
  levels_.push_back(std::move(opened));
}

std::optional<fs::directory_entry> directory_walk::next_entry(level& from) const {
  if (from.failed) fail_to_list(from.path, from.failed);
  if (how_.sorted) {
    if (from.at == from.sorted.size()) return {};
    return std::move(from.sorted[from.at++]);
  }
  if (from.live == fs::directory_iterator()) return {};
  auto entry = *from.live;
  // A failure concerns the next entry, which the next call asks for.
  from.live.increment(from.failed);
  return entry;
}

void check_files(const files_options& how, model::stage_info& info) {
  if (how.pattern.empty()) info.problems.emplace_back("its pattern is empty, which no name matches");
}

}  // namespace THALWEG_NAMESPACE::stages
