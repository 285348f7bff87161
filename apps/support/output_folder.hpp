#pragma once

#include <filesystem>
#include <functional>

#include "apps/support/temporary.hpp"

namespace apps {

/// A folder that is there when it is complete, and not before: files are written into one under a temporary
/// name beside its place, which takes its place at `close()`, and is removed with all that is in it if that
/// never comes. Errors are `apps::error`s that name the folder.
///
/// ```cpp
/// apps::output_folder out("results", [](const auto& there) { return exists(there / "mine.txt"); });
/// apps::write_file(out.inside() / "mine.txt", "some text");
/// out.close();
/// ```
class output_folder {
 public:
  /// Whether what is at `path` may be replaced. It is asked at the beginning, and again at `close`.
  using judge = std::function<bool(const std::filesystem::path& there)>;

  /// \throws error  if there is something at `path` that may not be replaced, or no folder can be made
  output_folder(const std::filesystem::path& path, judge may_replace);

  /// Where to write files until `close`.
  [[nodiscard]] const std::filesystem::path& inside() const { return temporary_.path(); }
  /// Puts the folder into its place; what it replaces is removed. To be called once, last.
  void close();

 private:
  void check() const;

  std::filesystem::path path_;
  temporary temporary_;
  judge may_replace_;
};

}  // namespace apps
