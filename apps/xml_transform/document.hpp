#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <libxml/tree.h>

#include "apps/support/bytes.hpp"

namespace apps::xml_transform {

/// The item: a document, in what form the operators have brought it. A copy shares the tree, which only one
/// thread may work on.
struct document {
  std::uint64_t number = 0;      ///< its place in the stream, from 0
  std::filesystem::path file;    ///< source: where it is from
  bytes content;                 ///< source, if it holds its input: what is in the file; freed by load
  std::shared_ptr<xmlDoc> tree;  ///< load; freed by transform
  std::string page;              ///< transform: the result

  /// Its bytes, with what the source has put into it.
  [[nodiscard]] std::size_t size_of() const { return sizeof *this + file.native().size() + content.size(); }
};

}  // namespace apps::xml_transform
