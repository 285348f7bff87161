#include "apps/ferret/inputs.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "apps/ferret/database.hpp"
#include "apps/ferret/extract.hpp"
#include "apps/ferret/pack.hpp"
#include "apps/ferret/scenes.hpp"
#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/random.hpp"

namespace apps::ferret {
namespace {

std::string numbered(std::string_view kind, std::uint32_t number) {
  return std::string(kind).append(std::to_string(100'000 + number), 1).append(".ppm");
}

/// The numbers from 0 on in random order: members of a family are not beside each other.
std::vector<std::uint32_t> shuffled(std::uint32_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  random dice(seed);
  for (std::uint32_t i = count; i > 1; --i) std::swap(numbers[i - 1], numbers[dice.below(i)]);
  return numbers;
}

}  // namespace

const input& input_named(std::string_view name) {
  const auto* const found = std::ranges::find(inputs, name, &input::name);
  if (found == inputs.end()) throw error("ferret has no input '" + std::string(name) + "'");
  return *found;
}

void generate(std::string_view name, const std::filesystem::path& folder, const progress& told) {
  const auto& input = input_named(name);
  const auto families = (input.pictures + input.family - 1) / input.family;
  const std::uint64_t all = std::uint64_t{input.pictures} + input.queries;
  std::uint64_t done = 0;
  output_file truth(folder / families_file);
  const auto tell = [&](const std::string& picture, std::uint32_t family) {
    truth.write(picture + "," + std::to_string(family) + "\n");
    ++done;
    if (told && (done % 16 == 0 || done == all)) told(done, all);
  };

  database collection;
  segmenter divide;
  for (std::uint32_t i = 0; const auto number : shuffled(input.pictures, input.seed)) {
    const auto family = number % families;
    const auto shown = draw_scene(input.seed, family, number / families);
    const auto picture = numbered("img", i++);
    collection.add(picture, describe(shown, divide(shown)));
    tell(picture, family);
  }
  collection.save(folder / database_file);

  // Members that are not in the collection.
  pack_writer queries(folder / queries_file, input.queries);
  random dice(input.seed + 1000);
  for (std::uint32_t i = 0; i < input.queries; ++i) {
    const auto family = static_cast<std::uint32_t>(dice.below(families));
    const auto picture = numbered("query", i);
    queries.add(picture, draw_scene(input.seed, family, input.family + i));
    tell(picture, family);
  }
  queries.close();
  truth.close();
}

}  // namespace apps::ferret
