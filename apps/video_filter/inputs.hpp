#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/support/application.hpp"
#include "apps/support/film/jpeg.hpp"
#include "apps/video_filter/filter.hpp"

namespace apps::video_filter {

/// An input: the size of the pictures, their number, and what is done to them.
struct input {
  std::string_view name;
  std::uint64_t seed;
  extent size;
  std::uint32_t frames;
  video_filter::filter filter;
};

inline constexpr std::array inputs = {
    input{"test", 1, {320, 180}, 40, {9, 3, 30}},       input{"small", 2, {640, 360}, 240, {9, 3, 30}},
    input{"medium", 3, {640, 360}, 1'200, {15, 5, 30}}, input{"large", 4, {1280, 720}, 1'200, {15, 5, 30}},
    input{"huge", 5, {1280, 720}, 3'600, {15, 5, 30}},
};

/// Makes the files of an input in an empty folder; see application.hpp. \throws error  if there is no such
/// input
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Checks a film. Each frame must be what the operators make of the picture of that number, bit for bit; and
/// up to 8 of them, evenly spread, be near to what the definition of the filters gives. Says how near they
/// are.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

/// How far a frame may be from the definition: levels of 256, in the mean over its bytes. JPEG's loss makes 2
/// to 5 of them; a film's next frame is about 12 away.
inline constexpr double most_wrong = 6;

}  // namespace apps::video_filter
