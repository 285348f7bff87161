#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/support/application.hpp"
#include "apps/support/film/jpeg.hpp"

namespace apps::person_recognition {

inline constexpr extent film_size{640, 360}, gallery_size{128, 128};

/// An input: the number of the film's frames, 30 of which are a second, and for how many frames the same
/// people are there.
struct input {
  std::string_view name;
  std::uint64_t seed;
  std::uint32_t frames;
  std::uint32_t phase;
};

inline constexpr std::array inputs = {
    input{"test", 1, 9, 2},     input{"small", 2, 60, 6},    input{"medium", 3, 180, 10},
    input{"large", 4, 450, 15}, input{"huge", 5, 1'200, 30},
};

/// \throws error  if there is no such input
const input& input_named(std::string_view name);

/// The files of an input. Beside them are the pictures of the gallery, `wanted-00.jpg`, `person01-00.jpg`,
/// ...
inline constexpr std::string_view film_file = "crowd.avi";
/// A line for each face: the frame's number, the person's (0: the wanted one), the middle of the face and its
/// height, all in pixels, and `seen` or `hidden`.
inline constexpr std::string_view truth_file = "faces.csv";

/// Makes the files of an input in an empty folder; see application.hpp.
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Checks a film with circles. Each frame must show what the input's frame of that number shows, and be what
/// the operators make of it, bit for bit; at least three of four circles must be around the
/// wanted person (precision), and three of four of this person's faces that are not hidden have one (recall).
/// Says both.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

}  // namespace apps::person_recognition
