#pragma once

#include <cstddef>
#include <deque>

#include "bench/support/user_number.hpp"

/// The order in which a sink takes items.
enum class sink_order { any, of_stream };

/// How many sources a program has that has several: as many as the first `-user-arg` says (2 without one).
inline int number_of_sources() {
  return user_number(0, 2, "how many sources there are");
}

/// Starts them. Each has the batches and the frequency that the options say, and room for `waiting` items.
template <class Source> std::deque<Source> several_sources(int waiting) {
  std::deque<Source> sources(static_cast<std::size_t>(number_of_sources()));
  for (auto& source : sources) {
    source.setQueueMaxSize(waiting);
    source.init();
  }
  return sources;
}
