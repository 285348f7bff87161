#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace apps {

/// A name beside `path` that no other process and no other file of this one uses.
std::string temporary_beside(const std::filesystem::path& path);

/// A file or folder that has a name for a while: it goes with its owner, with all that is in it, unless it
/// has got its own name before. Thread-confined.
///
/// ```cpp
/// apps::temporary made(folder / ".new");  // where something is already
/// std::error_code why;
/// made.rename(folder / "new", why);
/// ```
class temporary {
 public:
  temporary() = default;
  explicit temporary(std::filesystem::path path);
  temporary(temporary&& other) noexcept;
  temporary& operator=(temporary&& other) noexcept;
  ~temporary() { remove(); }

  /// Empty: there is none, or no longer.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Gives it its name; from then on it is nothing temporary.
  void rename(const std::filesystem::path& to, std::error_code& why);
  void remove() noexcept;

 private:
  std::filesystem::path path_;
};

/// Removes all that are there, for a process that ends at once, whatever its threads are doing: owners are
/// not asked, and can neither make nor give up any from then on. Any thread; not for signal handlers.
void remove_temporaries() noexcept;

}  // namespace apps
