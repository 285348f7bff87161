#pragma once

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
};

}  // namespace apps::xml_transform
