#pragma once

#include <cstdint>
#include <filesystem>

#include "apps/app_name/interval.hpp"
#include "apps/support/files.hpp"

namespace apps::app_name {

/// Writes a line for each interval. They must come in order. \throws error  naming the file, if it cannot be
/// written, or if another interval is due
class sink {
 public:
  explicit sink(std::filesystem::path file);
  void operator()(const interval& searched);
  /// Puts the file into its place; without it, there is none.
  void close();

 private:
  output_file out_;
  std::uint64_t due_ = 0;
};

}  // namespace apps::app_name
