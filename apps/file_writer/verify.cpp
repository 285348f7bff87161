#include <string>
#include <string_view>

#include "apps/file_writer/file_writer.hpp"
#include "apps/file_writer/inputs.hpp"
#include "apps/support/bytes.hpp"
#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/hash.hpp"
#include "apps/support/random.hpp"

namespace apps::file_writer {
namespace {

// Byte i is byte i % 8 of number i / 8. Gives the place of the first that is something else.
std::size_t first_wrong(std::string_view written, std::uint64_t seed) {
  random dice(seed);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < written.size(); ++i) {
    number = i % 8 == 0 ? dice.next() : number >> 8U;
    if (static_cast<std::uint8_t>(written[i]) != (number & 0xFFU)) return i;
  }
  return written.size();
}

}  // namespace

verdict verify(std::string_view /*input*/, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto recipe = read_recipe(folder / recipe_file);
  try {
    const auto list = read_file(output / list_file);
    auto rest = view(list);
    std::uint64_t all = 0;
    source files(recipe);
    while (auto due = files()) {
      const auto written = read_file(output / due->name);
      const auto path = "'" + (output / due->name).string() + "'";
      if (written.size() != due->size)
        return {false, path + " has " + std::to_string(written.size()) + " bytes instead of " +
                           std::to_string(due->size)};
      if (const auto wrong = first_wrong(view(written), due->seed); wrong < written.size())
        return {false, "byte " + std::to_string(wrong) + " of " + path + " is wrong"};
      due->hash = hash_of(view(written));
      const auto line = line_of(*due);
      if (!rest.starts_with(line)) return {false, "the list has another line than that of " + path};
      rest.remove_prefix(line.size());
      all += due->size;
    }
    if (!rest.empty()) return {false, "the list has more lines than there are files"};
    if (!is_output(output)) return {false, "'" + output.string() + "' has more than the files of the list"};
    return {true,
            std::to_string(recipe.files) + " files of " + std::to_string(all) + " bytes, and their list"};
  } catch (const error& e) {
    return {false, e.what()};
  }
}

}  // namespace apps::file_writer
