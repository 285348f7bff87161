#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/ferret/picture.hpp"
#include "apps/ferret/segmentation.hpp"
#include "apps/ferret/signature.hpp"

namespace apps::ferret {

/// A picture of the collection, and how far it is from what was asked for.
struct match {
  std::uint32_t picture = 0;   ///< its number in the database
  std::uint32_t distance = 0;  ///< times `unit_weight`
  auto operator<=>(const match& other) const {
    const auto nearer = distance <=> other.distance;
    return nearer != 0 ? nearer : picture <=> other.picture;
  }
  bool operator==(const match&) const = default;
};

/// The item: a picture for which similar ones are sought, and what each operator has found out about it.
struct query {
  std::uint64_t number = 0;  ///< its place in the stream, from 0
  std::string name;
  picture shown;                          ///< source; freed by extract
  segments divided;                       ///< segmentation; freed by extract
  signature description;                  ///< extract
  std::vector<std::uint32_t> candidates;  ///< vectorization; freed by rank
  std::vector<match> ranking;             ///< rank: nearest first

  /// Its bytes, with what the source has put into it.
  [[nodiscard]] std::size_t size_of() const { return sizeof *this + name.size() + shown.rgb.size(); }
};

}  // namespace apps::ferret
