/// What libxml2 has allocated, freed by its owners, and its parser.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include <libxml/tree.h>

namespace apps::xml_transform {

struct free_tree {
  void operator()(xmlDoc* tree) const { xmlFreeDoc(tree); }
};
using tree = std::unique_ptr<xmlDoc, free_tree>;

/// Parses the text of a document. Any thread, once a `style_sheet` has been made. Nothing else is loaded: no
/// entity that stands elsewhere. \throws error  naming the file and the line, if it refers to such an entity
/// or is not well-formed
tree parse(std::string_view text, const std::filesystem::path& file);

/// The same for what a style sheet refers to by its address, a file beside it, say.
tree parse_at(const char* address);

}  // namespace apps::xml_transform
