#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/support/film/jpeg.hpp"
#include "apps/video_filter/filter.hpp"

namespace apps::video_filter {

/// An input: pictures of one size, and what is done to them.
struct album {
  std::vector<std::filesystem::path> files;  ///< in the order of the film
  extent size;                               ///< of the first, and so of all
  video_filter::filter filter;
};

/// Reads what a folder says of itself: the names of its pictures (JPEG, and binary PGM and PPM: `.jpg`,
/// `.jpeg`, `.pgm`, `.ppm`), in ascending order, the size of the first one, and its `filter.txt`, if there is
/// one. \throws error  naming the file, if there are no pictures, or the first or the filter is none
album read_album(const std::filesystem::path& folder);

/// \throws error  naming the file, if it has anything else
filter read_filter(const std::filesystem::path& file);

/// The text of a filter's file.
std::string text_of(const filter& of);

}  // namespace apps::video_filter
