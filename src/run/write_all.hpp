#pragma once

#include <thalweg/version.hpp>

#include <cerrno>
#include <cstddef>
#include <string_view>

#include <unistd.h>

namespace THALWEG_NAMESPACE::run_detail {

/// Writes all bytes to an open file. Returns the number of the error, or 0.
inline int write_all(int file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const auto written = ::write(file, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace THALWEG_NAMESPACE::run_detail
