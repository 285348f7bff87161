#pragma once

#include <string>
#include <string_view>

#include "apps/xml_transform/statement.hpp"

namespace apps::xml_transform {

/// The style sheet of the inputs: a page with the orders by date, and what was bought of each product. It
/// finds the products as many do who learn XSLT, by looking back through all lines for each of them, so that
/// twice the lines cost four times as much.
extern const std::string_view statement_style;

/// What it makes of a statement, for those who check that: written by hand, without XML.
std::string page_of(const statement& from);

}  // namespace apps::xml_transform
