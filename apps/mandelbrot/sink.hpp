#pragma once

#include <filesystem>

#include "apps/mandelbrot/line.hpp"
#include "apps/mandelbrot/scene.hpp"
#include "apps/support/arrivals.hpp"
#include "apps/support/bytes.hpp"
#include "apps/support/files.hpp"

namespace apps::mandelbrot {

/// Puts lines into their places, whatever order they come in, and writes the picture at its `close`, as a
/// binary PGM file. Holds all of it until then. \throws error  naming the file, if it cannot be written, or
/// if a line comes twice, is not one of the picture, or was not drawn
class sink {
 public:
  sink(std::filesystem::path file, const scene& shown);
  void operator()(const line& drawn);
  /// \throws error  if a line is missing
  void close();

 private:
  scene scene_;
  output_file out_;
  arrivals lines_;
  bytes picture_;
};

}  // namespace apps::mandelbrot
