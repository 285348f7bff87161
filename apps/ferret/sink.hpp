#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "apps/ferret/database.hpp"
#include "apps/ferret/query.hpp"
#include "apps/support/files.hpp"

namespace apps::ferret {

/// Writes a line for each query: its name and its ranking, `query0001.ppm<TAB>img00042.ppm:153.207<TAB>...`.
/// Lines are in the order of the stream, whatever order queries come in: early ones wait. The file's name is
/// given to it at `close`. \throws error  naming the file, if it cannot be written, or if a query comes twice
class sink {
 public:
  /// The database must outlive it.
  sink(std::filesystem::path file, const database& collection);
  void operator()(const query& ranked);
  /// \throws error  if a query is missing before another
  void close();
  /// How many have come.
  [[nodiscard]] std::uint64_t written() const { return due_ + early_.size(); }

 private:
  const std::string& line_of(const query& ranked);
  [[noreturn]] void fail(std::uint64_t number, const char* what) const;

  output_file out_;
  const database* collection_;
  std::uint64_t due_ = 0;
  std::map<std::uint64_t, std::string> early_;
  std::string line_;
};

}  // namespace apps::ferret
