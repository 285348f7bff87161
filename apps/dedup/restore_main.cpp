// dedup_restore: makes of an archive what it was made of.
#include <cstdio>
#include <exception>
#include <string_view>

#include "apps/dedup/archive.hpp"

namespace {

constexpr auto usage =
    "Usage: dedup_restore <archive> <file>\n"
    "Writes to the file what the application dedup has packed into the archive.\n";

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && (std::string_view(arguments[1]) == "--help" || std::string_view(arguments[1]) == "-h")) {
    std::fputs(usage, stdout);
    return 0;
  }
  if (count != 3) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    apps::dedup::restore(arguments[1], arguments[2]);
    return 0;
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "dedup_restore: %s\n", wrong.what());
    return 1;
  }
}
