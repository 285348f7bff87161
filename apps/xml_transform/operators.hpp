/// The two operators between source and sink. Neither changes: one of each may be used by any number of
/// threads.
#pragma once

#include <memory>

#include "apps/xml_transform/document.hpp"
#include "apps/xml_transform/style_sheet.hpp"

namespace apps::xml_transform {

/// Reads the document's file and parses it. \throws error  naming the file, and the line if it is not
/// well-formed
struct load {
  document operator()(document item) const;
};

/// Applies the style sheet.
struct transform {
  std::shared_ptr<const style_sheet> by;
  document operator()(document item) const;
};

}  // namespace apps::xml_transform
