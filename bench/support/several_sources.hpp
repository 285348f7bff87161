#pragma once

#include <deque>

#include "bench/support/user_number.hpp"

/// Starts the sources of a program that has several: as many as the first `-user-arg` says (2 without one).
/// Each has the batches and the frequency that the options say.
template <class Source> std::deque<Source> several_sources() {
  std::deque<Source> sources(static_cast<std::size_t>(user_number(0, 2, "how many sources there are")));
  for (auto& source : sources) source.init();
  return sources;
}
