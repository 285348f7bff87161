#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <libxslt/xsltInternals.h>

#include "apps/xml_transform/xml.hpp"

namespace apps::xml_transform {

/// A compiled XSLT style sheet. It is only read once it is made, so that any number of threads may apply the
/// same one; what a transformation changes lies in a context of its own.
class style_sheet {
 public:
  /// Compiles a file; one thread at a time. \throws error  naming the file and the line, if it is none
  explicit style_sheet(std::filesystem::path file);

  /// What it makes of a document, as text in the encoding that it asks for. The document may lose white space
  /// that the style sheet strips. A style sheet may neither write files nor use a network.
  /// `file`: of the document, for messages. \throws error  naming both files, and the style sheet's line
  [[nodiscard]] std::string apply(xmlDoc& to, const std::filesystem::path& file) const;

  /// How names of such results end: `.html`, `.txt` or `.xml`.
  [[nodiscard]] const char* ending() const;

 private:
  struct free_style {
    void operator()(xsltStylesheet* style) const { xsltFreeStylesheet(style); }
  };
  std::filesystem::path file_;
  std::unique_ptr<xsltStylesheet, free_style> style_;
};

}  // namespace apps::xml_transform
