#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/support/application.hpp"
#include "apps/support/film/jpeg.hpp"

namespace apps::lane_detection {

inline constexpr extent low{640, 360}, high{1280, 720};

/// An input: the size of the film's pictures, and their number; 30 are a second.
struct input {
  std::string_view name;
  std::uint64_t seed;
  extent size;
  std::uint32_t frames;
};

inline constexpr std::array inputs = {
    input{"test", 1, low, 45},         input{"small", 2, low, 900},      input{"medium", 3, low, 1'800},
    input{"large", 4, low, 3'600},     input{"huge", 5, low, 10'800},    input{"test-HQ", 6, high, 15},
    input{"small-HQ", 7, high, 300},   input{"medium-HQ", 8, high, 600}, input{"large-HQ", 9, high, 1'200},
    input{"huge-HQ", 10, high, 3'600},
};

/// \throws error  if there is no such input
const input& input_named(std::string_view name);

/// The files of an input.
inline constexpr std::string_view film_file = "road.avi";
/// For each frame its number, `clear`, `changing` (lanes) or `crossing`, and where the left mark of the lane
/// is in each of `truth_lines`, then the right one: in pixels, from the left.
inline constexpr std::string_view truth_file = "lanes.csv";

/// Makes the files of an input in an empty folder; see application.hpp.
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Checks a film with marks. Each frame must show what the input's frame of that number shows above the road;
/// and be what the operators make of it, bit for bit; and where lanes are clear, at least nine of ten marks
/// be drawn, and these be wrong by no more than 8 pixels of a picture of 360 lines in the mean. Says how much
/// they are wrong by.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

}  // namespace apps::lane_detection
