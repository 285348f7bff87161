#pragma once

#include <algorithm>

#include "bench/support/number_argument.hpp"

/// How `nthreads` workers are divided up between two farms, of which the second does as many times the work
/// of the first as the first `-user-arg` says (4 without one). Each has at least one worker.
struct two_farms {
  int first = 1;
  int second = 1;

  two_farms() {
    const int ratio = number_argument(0, 4);
    first = std::max(1, spb::nthreads / (1 + ratio));
    second = std::max(1, spb::nthreads - first);
  }
};
