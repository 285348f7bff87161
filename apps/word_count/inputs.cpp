#include "apps/word_count/inputs.hpp"

#include <algorithm>
#include <string>

#include "apps/support/encyclopedia.hpp"
#include "apps/support/files.hpp"
#include "apps/support/named_input.hpp"
#include "apps/support/parameters.hpp"

namespace apps::word_count {
namespace {

constexpr std::uint64_t seed = 20;
constexpr std::uint64_t most_passes = 1'000'000;

}  // namespace

stream read_stream(const std::filesystem::path& input) {
  if (!std::filesystem::is_directory(input)) return {input, 1};
  parameters of(input / stream_file);
  const auto passes = of.whole("passes", 1, most_passes);
  of.finish();
  return {input / text_file, passes};
}

void generate(std::string_view name, const std::filesystem::path& folder, const progress& told) {
  const auto& made = named_input(inputs, "word_count", name);
  write_file(folder / stream_file, parameter("passes", made.passes));
  output_file text(folder / text_file);
  text.write(encyclopedia::head);
  encyclopedia pages(seed);
  std::string some;
  while (text.size() < made.bytes) {
    some.clear();
    constexpr int at_once = 100;
    for (int i = 0; i < at_once; ++i) pages.append_page(some);
    text.write(some);
    if (told) told(std::min(text.size(), made.bytes), made.bytes);
  }
  text.write(encyclopedia::tail);
  text.close();
}

}  // namespace apps::word_count
