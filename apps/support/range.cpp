#include "apps/support/range.hpp"

#include "apps/support/files.hpp"
#include "apps/support/parameters.hpp"

namespace apps {

range read_range(const std::filesystem::path& file) {
  parameters of(file);
  range read;
  read.first = static_cast<std::uint32_t>(of.whole("first", 1, most_in_range));
  read.last = static_cast<std::uint32_t>(of.whole("last", read.first, most_in_range));
  of.finish();
  return read;
}

void write_range(const range& from, const std::filesystem::path& file) {
  write_file(file, parameter("first", from.first) + parameter("last", from.last));
}

}  // namespace apps
