#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/ferret/database.hpp"
#include "apps/ferret/query.hpp"

namespace apps::ferret {

/// How many pictures a ranking has.
inline constexpr std::size_t ranked = 50;

/// The candidates that are nearest by the earth mover's distance, nearest first; of two alike the one of the
/// lower number.
std::vector<match> nearest(const database& collection, signature_view described,
                           std::span<const std::uint32_t> candidates, std::size_t wanted = ranked);

}  // namespace apps::ferret
