#pragma once

#include <cstdint>
#include <filesystem>

#include "apps/xml_transform/archive.hpp"
#include "apps/xml_transform/collection.hpp"
#include "apps/xml_transform/document.hpp"
#include "apps/xml_transform/style_sheet.hpp"

namespace apps::xml_transform {

/// Writes the results into one archive, which `tar -xf` unpacks: each is a file, named as its document and
/// ending as the style sheet's kind of result does. Documents must come in order. The archive gets its name
/// at `close`. \throws error  naming the file, if it cannot be written, would take the place of an input, or
/// if another document is due
class sink {
 public:
  sink(std::filesystem::path file, const collection& from, const style_sheet& by);
  void operator()(const document& one);
  /// \throws error  if documents are missing
  void close();

 private:
  archive_writer out_;
  std::uint64_t documents_;
  std::uint64_t due_ = 0;
  const char* ending_;
};

}  // namespace apps::xml_transform
