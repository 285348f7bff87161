#include "apps/xml_transform/xml.hpp"

#include <limits>
#include <string>
#include <utility>

#include <libxml/SAX2.h>
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

/// An entity that stands elsewhere, in a file or on another machine, is not for a document to have loaded:
/// what it tells about could then come to stand in the page.
xmlEntity* unless_elsewhere(void* context, xmlEntity* found) {
  if (found == nullptr ||
      (found->etype != XML_EXTERNAL_GENERAL_PARSED_ENTITY && found->etype != XML_EXTERNAL_PARAMETER_ENTITY))
    return found;
  auto* const parser = static_cast<xmlParserCtxt*>(context);
  auto& wrong = *static_cast<first_error*>(parser->_private);
  if (wrong.says.empty()) {
    wrong.line = parser->input == nullptr ? 0 : parser->input->line;
    wrong.says = "the entity '" + std::string(reinterpret_cast<const char*>(found->name)) +
                 "' stands elsewhere, and is not loaded";
  }
  parser->wellFormed = 0;
  xmlStopParser(parser);
  return nullptr;
}

/// Calls `read(parser, options)` with a parser that loads nothing else. \throws error  naming what is read
template <class Read> tree parsed(const std::string& name, Read&& read) {
  const std::unique_ptr<xmlParserCtxt, free_parser> parser(xmlNewParserCtxt());
  if (!parser) throw error("libxml2 cannot parse: out of memory");
  first_error wrong;
  parser->_private = &wrong;
  parser->sax->serror = first_error::note;
  parser->sax->getEntity = [](void* context, const xmlChar* entity) {
    return unless_elsewhere(context, xmlSAX2GetEntity(context, entity));
  };
  parser->sax->getParameterEntity = [](void* context, const xmlChar* entity) {
    return unless_elsewhere(context, xmlSAX2GetParameterEntity(context, entity));
  };
  constexpr int options =
      XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOCDATA | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
  tree made(std::forward<Read>(read)(parser.get(), options));
  if (made) return made;
  if (wrong.says.empty()) throw error(name + " is no XML document");
  throw error(name + ", line " + std::to_string(wrong.line) + ": " + wrong.says);
}

}  // namespace

tree parse(std::string_view text, const std::filesystem::path& file) {
  const auto name = "'" + file.string() + "'";
  if (text.empty()) throw error(name + " is empty");
  if (text.size() > std::numeric_limits<int>::max()) throw error(name + " is larger than 2 GB");
  return parsed(name, [&](xmlParserCtxt* parser, int options) {
    return xmlCtxtReadMemory(parser, text.data(), static_cast<int>(text.size()), file.c_str(), nullptr,
                             options);
  });
}

tree parse_at(const char* address) {
  return parsed("'" + std::string(address) + "'", [&](xmlParserCtxt* parser, int options) {
    return xmlCtxtReadFile(parser, address, nullptr, options);
  });
}

}  // namespace apps::xml_transform
