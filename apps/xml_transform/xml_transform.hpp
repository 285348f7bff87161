/// XML documents are turned into pages by an XSLT style sheet. One thread does it so:
///
/// ```cpp
/// namespace xml = apps::xml_transform;
/// const auto collection = xml::read_collection("statements");
/// const auto style = std::make_shared<const xml::style_sheet>(collection.style);
/// xml::source source(collection.documents);
/// const xml::load load;
/// const xml::transform transform{style};
/// xml::sink sink("pages.tar", collection, *style);
/// while (auto document = source()) sink(transform(load(std::move(*document))));
/// sink.close();
/// ```
///
/// Documents are independent of each other; the sink needs them in order.
#pragma once

#include "apps/support/application.hpp"
#include "apps/support/file_source.hpp"
#include "apps/xml_transform/collection.hpp"
#include "apps/xml_transform/document.hpp"
#include "apps/xml_transform/operators.hpp"
#include "apps/xml_transform/sink.hpp"
#include "apps/xml_transform/style_sheet.hpp"

namespace apps::xml_transform {

using apps::input_held;

/// Gives the documents: the names of their files, and, if it holds its input, what is in the files.
using source = file_source<document>;

/// What tools need to know.
const application& about();

}  // namespace apps::xml_transform
