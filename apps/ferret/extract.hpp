#pragma once

#include "apps/ferret/picture.hpp"
#include "apps/ferret/segmentation.hpp"
#include "apps/ferret/signature.hpp"

namespace apps::ferret {

/// Describes each region of a picture by 14 numbers (Q. Lv, W. Josephson, Z. Wang, M. Charikar and K. Li,
/// Ferret: A Toolkit for Content-Based Similarity Search of Feature-Rich Data, 2006, section 5): mean,
/// deviation and skewness (cube root of the third moment) of each of three colour channels; of the box around
/// it the proportions, the size, and the share of it that the region fills; its centre. A region counts by
/// the square root of its size. The channels are luminance and two of chrominance: unlike hue, they have no
/// end that is beside their start. In whole numbers: the same on every machine.
signature describe(const picture& shown, const segments& divided);

}  // namespace apps::ferret
