#pragma once

#include <cstdint>
#include <string>

namespace apps {  // C++14, as programs may be
namespace file_writer {

/// A file to be written.
struct file {
  std::uint32_t number = 0;  ///< its place in the stream, from 0
  std::string name;
  std::uint64_t size = 0;  ///< in bytes
  std::uint64_t seed = 0;  ///< of its bytes
  std::string hash;        ///< behind `write`: their SHA-256, in hexadecimal digits
};

}  // namespace file_writer
}  // namespace apps
