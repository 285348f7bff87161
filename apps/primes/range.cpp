#include "apps/primes/range.hpp"

#include "apps/support/files.hpp"
#include "apps/support/parameters.hpp"

namespace apps::primes {

range read_range(const std::filesystem::path& file) {
  parameters of(file);
  range read;
  read.first = static_cast<std::uint32_t>(of.whole("first", 1, most));
  read.last = static_cast<std::uint32_t>(of.whole("last", read.first, most));
  of.finish();
  return read;
}

void write_range(const range& from, const std::filesystem::path& file) {
  write_file(file, parameter("first", from.first) + parameter("last", from.last));
}

}  // namespace apps::primes
