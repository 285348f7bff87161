// What the streams of the demo do to a block.
#pragma once

#include <string>

namespace demo {

/// A block as a separate bzip2 stream. Streams in a row are a valid .bz2 file.
/// Throws `std::runtime_error` if there is not enough memory.
std::string compress(const std::string& block);

}  // namespace demo
