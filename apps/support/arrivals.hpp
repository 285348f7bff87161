#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "apps/support/error.hpp"

namespace apps {

/// For sinks that take numbered things in any order: sees to it that each comes, and once. Thread-confined.
///
/// ```cpp
/// apps::arrivals lines("picture.pgm", "line", 0, 600);
/// lines.note(17);
/// lines.check_complete();  // throws: 'picture.pgm' is not written: line 0 is missing
/// ```
class arrivals {
 public:
  /// Those from `first` on, `count` of them. `file` and `what` are for messages.
  arrivals(std::filesystem::path file, std::string what, std::uint64_t first, std::uint64_t count)
      : file_(std::move(file)), what_(std::move(what)), first_(first), came_(count) {}

  /// \throws error  if it has come before, or is none of them
  void note(std::uint64_t number) {
    const auto i = number - first_;
    if (i >= came_.size()) fail(number, "came, which was not asked for");
    if (came_[i]) fail(number, "came twice");
    came_[i] = true;
  }
  /// \throws error  unless all have come
  void check_complete() const {
    const auto missing = std::find(came_.begin(), came_.end(), false);
    if (missing != came_.end())
      fail(first_ + static_cast<std::uint64_t>(missing - came_.begin()), "is missing");
  }

 private:
  [[noreturn]] void fail(std::uint64_t number, const char* how) const {
    throw error("'" + file_.string() + "' is not written: " + what_ + " " + std::to_string(number) + " " +
                how);
  }

  std::filesystem::path file_;
  std::string what_;
  std::uint64_t first_;
  std::vector<bool> came_;
};

}  // namespace apps
