#pragma once

#include <cstddef>
#include <utility>
#include <variant>

#include "apps/bzip2/block.hpp"

namespace spb::detail {

/// What an item of bzip2 holds: a block of text, or one of a .bz2 file.
struct bzip2_block {
  std::variant<apps::bzip2::block, apps::bzip2::packed_block> one;

  bzip2_block() = default;
  explicit bzip2_block(apps::bzip2::block text) : one(std::move(text)) {}
  explicit bzip2_block(apps::bzip2::packed_block packed) : one(std::move(packed)) {}

  [[nodiscard]] std::size_t size_of() const {
    return std::visit([](const auto& held) { return held.size_of(); }, one);
  }
};

}  // namespace spb::detail
