#pragma once

#include <charconv>
#include <stdexcept>
#include <string>
#include <system_error>

#include "spb/api.hpp"
#include "spb/detail/failure.hpp"

/// The number that the i-th `-user-arg` is, `otherwise` without one. What is no whole number from 1 to 1000
/// ends the program.
inline int number_argument(int i, int otherwise) {
  if (spb::SPBench::getArgs() <= i) return otherwise;
  const std::string given = spb::SPBench::getArg(i);
  int number = 0;
  const auto* const last = given.data() + given.size();
  const auto [end, wrong] = std::from_chars(given.data(), last, number);
  constexpr int most = 1000;
  spb::detail::or_end([&] {
    if (wrong != std::errc() || end != last || number < 1 || number > most)
      throw std::invalid_argument("-user-arg: '" + given + "' is not a whole number from 1 to " +
                                  std::to_string(most));
  });
  return number;
}
