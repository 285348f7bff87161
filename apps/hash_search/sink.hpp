#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/hash_search/wanted.hpp"
#include "apps/support/arrivals.hpp"
#include "apps/support/files.hpp"

namespace apps::hash_search {

/// A line of the output: the number, or `-` for a hash that is of none.
inline std::string line_of(const std::optional<std::uint32_t>& number) {
  return (number ? std::to_string(*number) : "-") + "\n";
}

/// Collects what was found, whatever order it comes in, and writes it at its `close`, in the order of the
/// hashes. \throws error  naming the file, if it cannot be written, or if a hash comes twice or is not of the
/// list
class sink {
 public:
  /// `hashes`: how many there are in the list.
  sink(std::filesystem::path file, std::uint32_t hashes);
  void operator()(const wanted& found);
  /// \throws error  if a hash is missing
  void close();

 private:
  output_file out_;
  arrivals places_;
  std::vector<std::optional<std::uint32_t>> numbers_;
};

}  // namespace apps::hash_search
