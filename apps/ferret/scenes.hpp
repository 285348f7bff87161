#pragma once

#include <cstdint>

#include "apps/ferret/picture.hpp"

namespace apps::ferret {

/// Draws a picture of a family. A family is a scene: a ground of one of several textures, and 4 to 9 shapes
/// on it, each with a place, a size, a turn, two colours and a texture. Its members show it anew: from
/// another place and distance, in other light, each shape moved and changed a little, sometimes one more or
/// one less, and with noise. Colours come from few palettes, so that families resemble each other. Drawn in
/// whole numbers: the same picture on every machine.
///
/// \param seed  of the collection
picture draw_scene(std::uint64_t seed, std::uint32_t family, std::uint32_t member);

inline constexpr std::uint32_t scene_width = 240, scene_height = 160;

}  // namespace apps::ferret
