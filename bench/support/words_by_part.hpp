#pragma once

#include <cstddef>
#include <vector>

#include <word_count.hpp>

/// What the words of an item go through before they are counted, and what has no state: an item for each
/// part comes of it. Each word is put together with those like it first, so that fewer are handed over.
inline std::vector<spb::Item> words_by_part(spb::Item& item, std::size_t parts) {
  spb::Split::op(item);
  spb::Combine::op(item);
  return spb::Divide::op(item, parts);
}
