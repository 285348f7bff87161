#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace apps::lane_detection {

/// A road of three lanes, and a drive along it. Lengths are in millimetres; sideways they count from the
/// left edge of the road. All in whole numbers.
inline constexpr int lane_width = 3500, lanes_of_road = 3;

/// Another car: how far ahead its rear is, and where its middle.
struct vehicle {
  int ahead = 0;
  int sideways = 0;
  std::uint32_t look = 0;  ///< chooses colour and size
};

/// What the camera's car does when a frame is taken.
struct moment {
  std::int64_t distance = 0;  ///< driven so far
  int sideways = 0;           ///< where the camera is
  int curvature = 0;          ///< of the road, to the right, in 2^-30 per millimetre
  int heading = 0;            ///< to the right, in 2^-16 of a radian
  int pitch = 0;              ///< to where the horizon is moved, in sixteenths of a line of 360
  int light = 256;            ///< 256: full
  int lane = 0;               ///< in which the camera is, from the left
  bool changing = false;      ///< between lanes
  std::int64_t crossing = 0;  ///< where the nearest crossing starts that does not lie behind; in `distance`
  std::array<vehicle, 2> vehicles{};  ///< the farther first
  std::uint32_t vehicle_count = 0;
};

/// The length of a crossing, and of what is painted before it.
inline constexpr int crossing_length = 14'000, crossing_ahead = 6'000;

/// A drive of so many frames: curves, lane changes, crossings, traffic, and light that varies.
std::vector<moment> drive(std::uint64_t seed, std::uint32_t frames);

}  // namespace apps::lane_detection
