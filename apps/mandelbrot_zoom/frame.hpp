#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/support/bytes.hpp"

namespace apps {  // C++14, as programs may be
namespace mandelbrot_zoom {

/// A picture of the film: its number, from 0, how much of the plane it shows, and once it is drawn its
/// pixels, line by line from the top, a byte each.
struct frame {
  std::uint32_t number = 0;
  double span = 0;
  bytes pixels;

  /// Its bytes, with what the source has put into it.
  [[nodiscard]] std::size_t size_of() const { return sizeof *this + pixels.size(); }
};

}  // namespace mandelbrot_zoom
}  // namespace apps
