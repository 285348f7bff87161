/// Which number of an interval has the longest Collatz sequence.
///
/// ```cpp
/// apps::app_name::source source("intervals.txt");
/// apps::app_name::sink sink("longest.txt");
/// while (const auto next = source()) sink(apps::app_name::longest(*next));
/// sink.close();
/// ```
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "apps/app_name/sink.hpp"
#include "apps/support/application.hpp"
#include "apps/support/csv.hpp"

namespace apps::app_name {

/// Gives the intervals of a file, one a line, in its order. \throws error  naming the file and the line, if
/// it cannot be read or has something else, or nothing, in it
class source {
 public:
  explicit source(const std::filesystem::path& file);
  /// The next interval; nothing behind the last.
  std::optional<interval> operator()();

 private:
  csv_reader lines_;
  std::uint64_t number_ = 0;
};

/// Finds the number of an interval with the longest sequence; the first, if there are several. A pure
/// function, so that any number of threads may call it.
interval longest(interval of);

/// What tools need to know.
const application& about();

}  // namespace apps::app_name
