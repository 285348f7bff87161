#include "apps/support/folder.hpp"

#include <algorithm>
#include <string>
#include <system_error>

#include "apps/support/error.hpp"

namespace apps {

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                            std::initializer_list<std::string_view> endings) {
  std::error_code wrong;
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator entry(folder, wrong), end; !wrong && entry != end;
       entry.increment(wrong))
    if (std::ranges::find(endings, entry->path().extension().string()) != endings.end())
      found.push_back(entry->path());
  if (wrong) throw error("cannot read '" + folder.string() + "': " + wrong.message());
  if (found.empty()) {
    std::string all;
    for (const auto ending : endings) all.append(all.empty() ? "" : ", ").append(ending);
    throw error("'" + folder.string() + "' has no " + all + " files");
  }
  std::ranges::sort(found);
  return found;
}

std::filesystem::path output_other_than(const std::vector<std::filesystem::path>& inputs,
                                        std::filesystem::path output) {
  std::error_code none;
  if (std::filesystem::exists(output, none))
    for (const auto& input : inputs)
      if (std::filesystem::equivalent(input, output, none))
        throw error("'" + output.string() + "' is the input, and is not written");
  return output;
}

}  // namespace apps
