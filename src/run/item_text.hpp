#pragma once

#include <thalweg/pipe/chunk.hpp>

#include <cstddef>
#include <string>

namespace THALWEG_NAMESPACE::run_detail {

/// The longest text of an item, in bytes.
inline constexpr std::size_t longest_item_text = 4096;

/// Item `i` for people: what its type prints, escaped and cut, or the type's name and the size. If printing
/// throws, that is the text.
[[nodiscard]] std::string item_text(const pipe::chunk_base& items, std::size_t i);

}  // namespace THALWEG_NAMESPACE::run_detail
