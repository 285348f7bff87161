#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "apps/nexmark/event.hpp"
#include "apps/nexmark/totals.hpp"
#include "apps/support/files.hpp"

namespace apps::nexmark {

/// Writes what a query gives: results as lines, in the order of the calls; of queries that give bids their
/// totals, at its `close`. Thread-confined.
class sink {
 public:
  /// \throws error  if the file cannot be made
  explicit sink(std::filesystem::path file) : file_(std::move(file)) {}

  void operator()(const event& of) { totals_.add(of.time, of.bid); }
  /// \throws error  if the file takes no more
  void operator()(std::string_view line) { file_.write(line); }
  void close() {
    file_.write(totals_.lines());
    file_.close();
  }

 private:
  output_file file_;
  totals totals_;
};

}  // namespace apps::nexmark
