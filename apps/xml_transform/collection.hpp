#pragma once

#include <filesystem>
#include <vector>

#include "apps/support/error.hpp"
#include "apps/support/folder.hpp"

namespace apps::xml_transform {

/// An input: documents, and the style sheet for all of them.
struct collection {
  std::vector<std::filesystem::path> documents;  ///< in the order of the results
  std::filesystem::path style;
};

/// A folder's `.xml` files, in the order of their names, and its `.xsl` file. \throws error  naming the
/// folder, if it has no documents, no style sheet, or several
inline collection read_collection(const std::filesystem::path& folder) {
  collection found{files_in(folder, {".xml"}), {}};
  const auto styles = files_in(folder, {".xsl"});
  if (styles.size() > 1)
    throw error("'" + folder.string() + "' has several style sheets: '" + styles[0].filename().string() +
                "', '" + styles[1].filename().string() + "'");
  found.style = styles.front();
  return found;
}

}  // namespace apps::xml_transform
