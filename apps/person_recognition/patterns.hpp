#pragma once

#include <array>
#include <cstdint>

#include <opencv2/core/mat.hpp>

namespace apps::person_recognition {

/// A face as histograms of its local binary patterns, in 8 by 8 cells: which of a pixel's neighbours are
/// brighter. T. Ahonen, A. Hadid and M. Pietikainen, Face Description with Local Binary Patterns (2006). Only
/// uniform patterns, in which the neighbours change at most twice between brighter and darker, are told
/// apart; all others count as one.
inline constexpr int cells = 8, pattern_count = 59, face_size = 96;
inline constexpr int pixels_of_cell = (face_size / cells) * (face_size / cells);
using patterns = std::array<std::uint8_t, std::size_t{cells} * cells * pattern_count>;

/// Describes a face in a grey picture of any size.
patterns patterns_of(const cv::Mat& grey);

/// How unlike two faces are: the chi-square distance of their histograms, 0 to 1000. In whole numbers.
int distance(const patterns& a, const patterns& b);

}  // namespace apps::person_recognition
