#pragma once

#include <charconv>
#include <stdexcept>
#include <string>
#include <system_error>

#include "spb/api.hpp"
#include "spb/detail/failure.hpp"

/// The `-user-arg` of this place, from 0: a whole number above 0, which says `what`. Without it, `otherwise`.
/// Ends the process, with a message, if it is no such number.
inline int user_number(int place, int otherwise, const std::string& what) {
  if (spb::SPBench::getArgs() <= place) return otherwise;
  const auto text = spb::SPBench::getArg(place);
  int number = 0;
  spb::detail::or_end([&] {
    const auto* const last = text.data() + text.size();
    const auto [end, wrong] = std::from_chars(text.data(), last, number);
    if (wrong != std::errc() || end != last || number < 1)
      throw std::invalid_argument("-user-arg: '" + text + "' is not " + what + ", a whole number above 0");
  });
  return number;
}
