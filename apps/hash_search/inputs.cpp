#include "apps/hash_search/inputs.hpp"

#include <optional>
#include <string>

#include "apps/hash_search/sink.hpp"
#include "apps/support/files.hpp"
#include "apps/support/hash.hpp"
#include "apps/support/named_input.hpp"
#include "apps/support/random.hpp"
#include "apps/support/range.hpp"

namespace apps::hash_search {
namespace {

constexpr std::uint64_t seed = 256;
constexpr std::uint64_t one_of_so_many_is_nowhere = 32;

std::uint32_t number_for(const input& made, std::uint32_t place, random& dice) {
  const std::uint64_t all = made.numbers;
  std::uint64_t depth = 0;
  switch (made.load) {
    case load::spread:
      depth = 1 + dice.below(all);
      if (dice.below(one_of_so_many_is_nowhere) == 0) depth += all;
      break;
    case load::even:
      depth = all * 19 / 40 + 1 + dice.below(all / 20);
      break;
    case load::growing:
      depth = all * place / made.hashes;
      break;
  }
  return static_cast<std::uint32_t>(depth);
}

}  // namespace

void generate(std::string_view name, const std::filesystem::path& folder, const progress& told) {
  const auto& made = named_input(inputs, "hash_search", name);
  const range within{1, made.numbers};
  write_range(within, folder / range_file);
  random dice(seed);
  std::string hashes, numbers;
  for (std::uint32_t place = 1; place <= made.hashes; ++place) {
    const auto number = number_for(made, place, dice);
    hashes += hash_of(std::to_string(number)) + "\n";
    numbers += line_of(number <= within.last ? std::optional(number) : std::nullopt);
    if (told) told(place, made.hashes);
  }
  write_file(folder / hashes_file, hashes);
  write_file(folder / numbers_file, numbers);
}

}  // namespace apps::hash_search
