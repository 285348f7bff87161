// XML documents, and style sheets, which are such.
#include <cstddef>

#include "apps/xml_transform/page.hpp"
#include "apps/xml_transform/statement.hpp"
#include "apps/xml_transform/style_sheet.hpp"
#include "apps/xml_transform/xml.hpp"
#include "fuzz/fuzz.hpp"

namespace xml = apps::xml_transform;

std::vector<std::string> fuzz::seeds() {
  return {
      xml::xml_of(xml::invent_statement(1, 1, 3)), "<a/>",
      "<!DOCTYPE a [<!ENTITY e 'told'><!ENTITY f SYSTEM '/etc/hostname'>]><a b='c'>&e;&f;<![CDATA[<]]></a>"};
}

void fuzz::read(const std::string& input) {
  static const xml::style_sheet pages(as_file(std::string(xml::statement_style)));
  const auto tree = xml::parse(input, "input");
  static_cast<void>(pages.apply(*tree, "input"));
}
