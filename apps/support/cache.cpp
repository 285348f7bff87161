#include "apps/support/cache.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>

#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/hash.hpp"
#include "apps/support/temporary.hpp"
#include "apps/support/user_folder.hpp"

namespace apps {

namespace fs = std::filesystem;

namespace {

constexpr auto stamp_name = ".edition", size_name = ".size";

[[noreturn]] void fail(const char* what, const fs::path& path, const std::error_code& why) {
  throw error(std::string(what) + " '" + path.string() + "': " + why.message());
}

void create_folders(const fs::path& path) {
  std::error_code why;
  fs::create_directories(path, why);
  if (why) fail("cannot create the folder", path, why);
}

void move(const fs::path& from, const fs::path& to) {
  std::error_code why;
  fs::rename(from, to, why);
  if (why) fail("cannot write", to, why);
}

// How many files and bytes an input has, hidden files apart: of one that has others than when it was
// complete, something has gone.
std::string size_of(const fs::path& folder) {
  std::uintmax_t files = 0, size = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().filename().string().starts_with('.')) continue;
    ++files;
    size += entry.file_size();
  }
  return std::to_string(files) + " files, " + std::to_string(size) + " bytes";
}

// The hash of each file, hidden files apart, as `sha256sum` lists and checks them.
std::string hashes_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string list;
  for (const auto& file : files)
    list.append(hash_of_file(file))
        .append("  ")
        .append(file.lexically_relative(folder).string())
        .append("\n");
  return list;
}

// A folder of a name of its own beside that of an input.
temporary unfinished(const fs::path& in, std::string_view input) {
  const fs::path path = temporary_beside(in / input);
  create_folders(path);
  return temporary(path);
}

// Removes those of processes that were killed.
void remove_unfinished(const fs::path& in, std::string_view input) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(in, ignored)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("." + std::string(input) + ".") && name.ends_with(".tmp"))
      fs::remove_all(entry.path(), ignored);
  }
}

// Held by one process at a time, given up with it, however it ends.
class lock {
 public:
  lock(const fs::path& path, const std::function<void()>& waiting)
      : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (file_.get() < 0) fail("cannot write", path, {errno, std::generic_category()});
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0) return;
    if (waiting) waiting();
    while (::flock(file_.get(), LOCK_EX) != 0)
      if (errno != EINTR) fail("cannot lock", path, {errno, std::generic_category()});
  }

 private:
  descriptor file_;
};

}  // namespace

fs::path input_cache() {
  return user_folder("XDG_CACHE_HOME", ".cache") / "thalweg" / "inputs";
}

fs::path input_folder(const application& app, std::string_view input) {
  return input_cache() / app.name / input;
}

bool input_is_there(const application& app, std::string_view input) {
  const auto folder = input_folder(app, input);
  std::error_code ignored;
  if (!fs::exists(folder / stamp_name, ignored) ||
      view(read_file(folder / stamp_name)) != std::to_string(app.edition))
    return false;
  // Inputs of earlier versions have no note of their size.
  return !fs::exists(folder / size_name, ignored) || view(read_file(folder / size_name)) == size_of(folder);
}

fs::path provide_input(const application& app, std::string_view input, const progress& told, bool again,
                       const std::function<void()>& waiting) {
  const auto folder = input_folder(app, input);
  if (!again && input_is_there(app, input)) return folder;
  const auto parent = folder.parent_path();
  create_folders(parent);
  const lock alone(parent / ("." + std::string(input) + ".lock"), waiting);
  if (!again && input_is_there(app, input)) return folder;
  remove_unfinished(parent, input);
  auto made = unfinished(parent, input);
  app.generate(input, made.path(), told);
  write_file(made.path() / size_name, size_of(made.path()));
  write_file(made.path() / hashes_file, hashes_of(made.path()));
  write_file(made.path() / stamp_name, std::to_string(app.edition));
  std::error_code why;
  fs::remove_all(folder, why);
  if (why) fail("cannot replace", folder, why);
  made.rename(folder, why);
  if (why) fail("cannot write", folder, why);
  return folder;
}

void make_input_in(const fs::path& folder, const application& app, std::string_view input,
                   const progress& told, bool overwrite) {
  create_folders(folder);
  std::error_code why;
  const auto shows = [](const fs::directory_entry& e) {
    return !e.path().filename().string().starts_with('.');
  };
  fs::directory_iterator entries(folder, why);
  if (why) fail("cannot read the folder", folder, why);
  if (!overwrite && std::any_of(begin(entries), end(entries), shows))
    throw error("'" + folder.string() + "' is not empty");
  const auto made = unfinished(folder, input);
  app.generate(input, made.path(), told);
  for (const auto& entry : fs::directory_iterator(made.path()))
    move(entry.path(), folder / entry.path().filename());
}

}  // namespace apps
