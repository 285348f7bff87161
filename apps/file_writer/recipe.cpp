#include "apps/file_writer/recipe.hpp"

#include <limits>

#include "apps/support/parameters.hpp"

namespace apps::file_writer {
namespace {

constexpr std::uint64_t most_files = 10'000'000;
constexpr std::uint64_t most_bytes = 1'000'000'000'000;

}  // namespace

recipe read_recipe(const std::filesystem::path& file) {
  parameters of(file);
  recipe read;
  read.files = static_cast<std::uint32_t>(of.whole("files", 1, most_files));
  read.least = of.whole("least", 0, most_bytes);
  read.most = of.whole("most", read.least, most_bytes);
  read.seed = of.whole("seed", 0, std::numeric_limits<std::uint64_t>::max());
  read.sync = of.whole("sync", 0, 1) == 1;
  of.finish();
  return read;
}

std::string text_of(const recipe& of) {
  return parameter("files", of.files) + parameter("least", of.least) + parameter("most", of.most) +
         parameter("seed", of.seed) + parameter("sync", of.sync ? 1 : 0);
}

}  // namespace apps::file_writer
