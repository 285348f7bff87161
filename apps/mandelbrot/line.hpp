#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/support/bytes.hpp"

namespace apps {  // C++14, as programs may be
namespace mandelbrot {

/// A line of a picture: its number, from 0 at the top, and once it is drawn its pixels, a byte each.
struct line {
  std::uint32_t number = 0;
  bytes pixels;

  /// Its bytes, with what the source has put into it.
  [[nodiscard]] std::size_t size_of() const { return sizeof *this + pixels.size(); }
};

}  // namespace mandelbrot
}  // namespace apps
