#include <algorithm>
#include <string>

#include "apps/hash_search/inputs.hpp"
#include "apps/support/files.hpp"

namespace apps::hash_search {

verdict verify(std::string_view /*input*/, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto written = read_file(output);
  const auto hashed = read_file(folder / numbers_file);
  auto rest = view(written);
  std::uint64_t lines = 0;
  for (auto due = view(hashed); !due.empty(); ++lines) {
    const auto line = due.substr(0, due.find('\n') + 1);
    if (!rest.starts_with(line))
      return {false, "line " + std::to_string(lines + 1) + " of '" + output.string() + "' is not " +
                         std::string(line.substr(0, line.size() - 1))};
    due.remove_prefix(line.size());
    rest.remove_prefix(line.size());
  }
  if (!rest.empty())
    return {false, "'" + output.string() + "' has more than the " + std::to_string(lines) + " hashes"};
  const auto nowhere = std::ranges::count(hashed, '-');
  return {true, std::to_string(lines) + " hashes, of the numbers that were hashed, " +
                    std::to_string(nowhere) + " of none in the range"};
}

}  // namespace apps::hash_search
