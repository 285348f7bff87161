#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace apps {

/// Appends whole numbers, lowest byte first, whatever the machine.
template <class T> void append_number(std::string& to, T number) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    to += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i));
}
/// Reads one.
template <class T> T number_at(const char* from) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    number |= std::uint64_t{static_cast<std::uint8_t>(from[i])} << (8 * i);
  return static_cast<T>(number);
}

}  // namespace apps
