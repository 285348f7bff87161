#include "apps/xml_transform/style_sheet.hpp"

#include <cstdarg>
#include <cstdio>
#include <string_view>
#include <utility>

#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxslt/documents.h>
#include <libxslt/imports.h>
#include <libxslt/security.h>
#include <libxslt/transform.h>
#include <libxslt/xslt.h>
#include <libxslt/xsltutils.h>

#include "apps/support/error.hpp"
#include "apps/support/files.hpp"

namespace apps::xml_transform {
namespace {

/// What libxslt and libxml2 say of errors, as one line.
class complaints {
 public:
  /// As the libraries call it. `self`: the object.
  static void add(void* self, const char* format, ...) {
    char text[1024];
    va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    constexpr std::size_t enough = 600;
    auto& said = static_cast<complaints*>(self)->said_;
    if (said.size() < enough) said += text;
  }
  [[nodiscard]] std::string text() const {
    auto end = said_.find_last_not_of(" \n");
    auto line = said_.substr(0, end == std::string::npos ? 0 : end + 1);
    for (auto& c : line)
      if (c == '\n') c = ' ';
    return line.empty() ? "unknown error" : line;
  }

 private:
  std::string said_;
};

/// Where libxml2 reports errors in expressions, which it keeps for each thread.
class listening {
 public:
  explicit listening(complaints& to) : before_(xmlGenericError), to_(xmlGenericErrorContext) {
    xmlSetGenericErrorFunc(&to, complaints::add);
  }
  listening(const listening&) = delete;
  listening& operator=(const listening&) = delete;
  ~listening() { xmlSetGenericErrorFunc(to_, before_); }

 private:
  xmlGenericErrorFunc before_;
  void* to_;
};

/// Where libxslt reports errors of style sheets that it compiles, which is one place for the whole process.
class compiling {
 public:
  explicit compiling(complaints& to) { xsltSetGenericErrorFunc(&to, complaints::add); }
  compiling(const compiling&) = delete;
  compiling& operator=(const compiling&) = delete;
  ~compiling() { xsltSetGenericErrorFunc(nullptr, nullptr); }
};

struct free_context {
  void operator()(xsltTransformContext* context) const { xsltFreeTransformContext(context); }
};
struct free_preferences {
  void operator()(xsltSecurityPrefs* rules) const { xsltFreeSecurityPrefs(rules); }
};
struct free_text {
  void operator()(xmlChar* text) const { xmlFree(text); }
};

/// How libxslt gets what a style sheet imports, includes, or asks for by `document()`: as all else is parsed.
xmlDoc* load(const xmlChar* address, xmlDict*, int, void*, xsltLoadType) {
  try {
    return parse_at(reinterpret_cast<const char*>(address)).release();
  } catch (const error& e) {
    xmlGenericError(xmlGenericErrorContext, "%s\n", e.what());
    return nullptr;
  }
}

/// Both libraries want to be set up before threads use them.
void set_up() {
  static const bool once = [] {
    xmlInitParser();
    xsltInit();
    xsltSetLoaderFunc(load);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

style_sheet::style_sheet(std::filesystem::path file) : file_(std::move(file)) {
  set_up();
  auto text = parse(view(read_file(file_)), file_);
  complaints said;
  const listening to_expressions(said);
  const compiling reported(said);
  style_.reset(xsltParseStylesheetDoc(text.get()));
  if (style_) static_cast<void>(text.release());  // it belongs to the style sheet now
  if (!style_ || style_->errors != 0)
    throw error("'" + file_.string() + "' is no style sheet: " + said.text());
}

std::string style_sheet::apply(xmlDoc& to, const std::filesystem::path& file) const {
  const std::unique_ptr<xsltTransformContext, free_context> context(
      xsltNewTransformContext(style_.get(), &to));
  const std::unique_ptr<xsltSecurityPrefs, free_preferences> rules(xsltNewSecurityPrefs());
  if (!context || !rules) throw error("libxslt cannot transform '" + file.string() + "': out of memory");
  for (const auto forbidden : {XSLT_SECPREF_WRITE_FILE, XSLT_SECPREF_CREATE_DIRECTORY,
                               XSLT_SECPREF_READ_NETWORK, XSLT_SECPREF_WRITE_NETWORK})
    xsltSetSecurityPrefs(rules.get(), forbidden, xsltSecurityForbid);
  xsltSetCtxtSecurityPrefs(rules.get(), context.get());
  complaints said;
  xsltSetTransformErrorFunc(context.get(), &said, complaints::add);
  const listening to_expressions(said);

  const tree made(xsltApplyStylesheetUser(style_.get(), &to, nullptr, nullptr, nullptr, context.get()));
  xmlChar* start = nullptr;
  int size = 0;
  if (!made || context->state != XSLT_STATE_OK ||
      xsltSaveResultToString(&start, &size, made.get(), style_.get()) != 0)
    throw error("'" + file.string() + "' cannot be transformed by '" + file_.string() + "': " + said.text());
  const std::unique_ptr<xmlChar, free_text> text(start);
  return {reinterpret_cast<const char*>(text.get()), static_cast<std::size_t>(size)};
}

const char* style_sheet::ending() const {
  const xmlChar* method = nullptr;
  XSLT_GET_IMPORT_PTR(method, style_.get(), method)
  const std::string_view name = method == nullptr ? "xml" : reinterpret_cast<const char*>(method);
  return name == "html" ? ".html" : name == "text" ? ".txt" : ".xml";
}

}  // namespace apps::xml_transform
