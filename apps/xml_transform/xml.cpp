#include "apps/xml_transform/xml.hpp"

#include <limits>
#include <string>

#include <libxml/parser.h>

#include "apps/support/error.hpp"

namespace apps::xml_transform {
namespace {

struct free_parser {
  void operator()(xmlParserCtxt* parser) const { xmlFreeParserCtxt(parser); }
};

/// What was wrong first: what follows, comes of that.
struct first_error {
  int line = 0;
  std::string says;

  /// As libxml2 calls it. `parser`: what is at work, whose `_private` leads to the object.
  static void note(void* parser, xmlError* wrong) {
    auto& self = *static_cast<first_error*>(static_cast<xmlParserCtxt*>(parser)->_private);
    if (!self.says.empty() || wrong->level != XML_ERR_FATAL) return;
    self.line = wrong->line;
    self.says = wrong->message == nullptr ? "unknown error" : wrong->message;
    while (self.says.ends_with('\n')) self.says.pop_back();
  }
};

}  // namespace

tree parse(std::string_view text, const std::filesystem::path& file) {
  const auto name = "'" + file.string() + "'";
  if (text.empty()) throw error(name + " is empty");
  if (text.size() > std::numeric_limits<int>::max()) throw error(name + " is larger than 2 GB");
  const std::unique_ptr<xmlParserCtxt, free_parser> parser(xmlNewParserCtxt());
  if (!parser) throw error("libxml2 cannot parse: out of memory");
  first_error wrong;
  parser->_private = &wrong;
  parser->sax->serror = first_error::note;
  constexpr int options =
      XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOCDATA | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
  tree made(xmlCtxtReadMemory(parser.get(), text.data(), static_cast<int>(text.size()), file.c_str(), nullptr,
                              options));
  if (made) return made;
  if (wrong.says.empty()) throw error(name + " is no XML document");
  throw error(name + ", line " + std::to_string(wrong.line) + ": " + wrong.says);
}

}  // namespace apps::xml_transform
