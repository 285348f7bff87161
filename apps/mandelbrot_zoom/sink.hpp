#pragma once

#include <cstdint>
#include <filesystem>

#include "apps/mandelbrot_zoom/film.hpp"
#include "apps/mandelbrot_zoom/frame.hpp"
#include "apps/support/files.hpp"

namespace apps::mandelbrot_zoom {

/// Writes the frames one behind the other, as binary PGM pictures in one file, which programs for films read
/// (`ffplay -f pgm_pipe film.pgm`). They must come in order. \throws error  naming the file, if it cannot be
/// written, or if another frame is due
class sink {
 public:
  sink(std::filesystem::path file, const film& shown);
  void operator()(const frame& one);
  /// \throws error  if frames are missing
  void close();

 private:
  film film_;
  output_file out_;
  std::uint32_t due_ = 0;
};

}  // namespace apps::mandelbrot_zoom
