// Eight maps in a row, the first kind with so little work that any cost of passing an item on shows.
#pragma once

#include <cstdint>

#include "../peers/peer.hpp"

namespace micro {

/// The k-th of the maps.
template <int K> struct cheap_map {
  std::uint64_t operator()(std::uint64_t x) const noexcept { return (x ^ (x >> (7 + K))) + K; }
};

/// As small as an operator can be that still takes longer than passing an item on: a division.
template <int K> struct dividing_map {
  std::uint64_t operator()(std::uint64_t x) const noexcept {
    return x ^ (~std::uint64_t{0} / ((x >> 8 | 1) + K));
  }
};

/// The loop one would write by hand: the eight maps between the source and the sink.
contender hand_written_chain(std::uint64_t items);

/// The same as a pipeline, under thalweg's default policy and under `sequential`.
contender pool_chain(std::uint64_t items);
contender sequential_chain(std::uint64_t items);

}  // namespace micro
