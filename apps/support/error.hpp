#pragma once

#include <stdexcept>

namespace apps {

/// Something that is wrong with an input, an output or an option: says what, and names the file.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace apps
