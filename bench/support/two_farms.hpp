#pragma once

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "spb/api.hpp"
#include "spb/detail/failure.hpp"

/// How `nthreads` workers are divided up between two farms, of which the second does as many times the work
/// of the first as the first `-user-arg` says (4 without one). Each has at least one worker.
struct two_farms {
  int first = 1;
  int second = 1;

  two_farms() {
    spb::detail::or_end([&] {
      int ratio = 4;
      if (spb::SPBench::getArgs() > 0) ratio = std::atoi(spb::SPBench::getArg(0).c_str());
      if (ratio < 1)
        throw std::invalid_argument("-user-arg: the ratio of two farms is a whole number above 0");
      first = std::max(1, spb::nthreads / (1 + ratio));
      second = std::max(1, spb::nthreads - first);
    });
  }
};
