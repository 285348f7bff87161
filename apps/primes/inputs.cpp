#include "apps/primes/inputs.hpp"

#include "apps/support/named_input.hpp"

namespace apps::primes {

void generate(std::string_view name, const std::filesystem::path& folder, const progress& told) {
  write_range(named_input(inputs, "primes", name).range, folder / range_file);
  if (told) told(1, 1);
}

}  // namespace apps::primes
