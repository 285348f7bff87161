#include "apps/app_name/inputs.hpp"

#include <string>

#include "apps/support/files.hpp"
#include "apps/support/named_input.hpp"
#include "apps/support/random.hpp"

namespace apps::app_name {

namespace {

constexpr std::uint64_t seed = 1937;
constexpr std::int64_t least = 1, most = 1'000'000'000;

}  // namespace

void generate(std::string_view name, const std::filesystem::path& folder, const progress& told) {
  const auto count = named_input(inputs, "app_name", name).intervals;
  random dice(seed);  // each input is the beginning of the next larger one
  output_file out(folder / intervals_file);
  for (std::uint32_t i = 0; i < count; ++i) {
    out.write(std::to_string(dice.between(least, most)) + "\n");
    if (told && i % 1024 == 0) told(i, count);
  }
  out.close();
  if (told) told(count, count);
}

}  // namespace apps::app_name
