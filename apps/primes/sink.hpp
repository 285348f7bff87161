#pragma once

#include <filesystem>
#include <vector>

#include "apps/primes/candidate.hpp"
#include "apps/support/arrivals.hpp"
#include "apps/support/files.hpp"
#include "apps/support/range.hpp"

namespace apps::primes {

/// Collects the primes of a range, whatever order the numbers come in, and writes them at its `close`: one a
/// line, in ascending order. Needs two bits for each number. \throws error  naming the file, if it cannot be
/// written, or if a number comes twice or is not in the range
class sink {
 public:
  sink(std::filesystem::path file, const range& of);
  void operator()(const candidate& tested);
  /// \throws error  if a number is missing
  void close();

 private:
  range range_;
  output_file out_;
  arrivals numbers_;
  std::vector<bool> primes_;
};

}  // namespace apps::primes
