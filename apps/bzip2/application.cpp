#include "apps/bzip2/application.hpp"

#include <algorithm>
#include <iterator>

#include "apps/bzip2/operator_names.hpp"
#include "apps/support/error.hpp"

namespace apps::bzip2 {

namespace {

constexpr std::uint64_t mb = 1'000'000;

struct named_recipe {
  std::string_view name;
  recipe how;
};

constexpr named_recipe recipes[] = {
    {"test", {8 * mb}},
    {"small", {40 * mb}},
    {"medium", {150 * mb}},
    {"large", {600 * mb}},
    {"huge", {2400 * mb}},
    {"test_d", {8 * mb, 1, true}},
    {"small_d", {40 * mb, 1, true}},
    {"medium_d", {150 * mb, 1, true}},
    {"large_d", {150 * mb, 4, true}},
    {"huge_d", {150 * mb, 24, true}},
    {"test_single_d", {8 * mb, 1, true, true}},
    {"medium_single_d", {150 * mb, 1, true, true}},
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  std::transform(std::begin(recipes), std::end(recipes), std::back_inserter(all),
                 [](const named_recipe& r) { return std::string(r.name); });
  return all;
}

}  // namespace

recipe recipe_of(std::string_view input) {
  for (const auto& r : recipes)
    if (r.name == input) return r.how;
  throw error("bzip2 has no input '" + std::string(input) + "'");
}

std::filesystem::path file_of(std::string_view input, const std::filesystem::path& folder) {
  return folder / (recipe_of(input).compressed ? "text.xml.bz2" : "text.xml");
}

const application& about() {
  static const application self{.name = "bzip2",
                                .says = "compresses text block by block, and decompresses it (inputs in _d)",
                                .output = "the file, compressed or decompressed,",
                                .inputs = names(),
                                .operators = operator_names(),
                                .generate = generate,
                                .verify = verify};
  return self;
}

}  // namespace apps::bzip2
