#pragma once

#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "mpi/ranks.hpp"

namespace ranks {

/// Runs the job that `job_of(seen)` makes on all ranks, and by one thread: what comes to the sink, which is
/// seen on the root alone, has to be the same in the same order.
template <class Item = long> void expect_same(auto job_of, const thalweg::mpi& how) {
  std::vector<Item> seen;
  const auto r = thalweg::run(job_of(seen), how);
  EXPECT_EQ(r.is_root(), root());
  if (!r.is_root()) {
    EXPECT_TRUE(seen.empty());
    return;
  }
  std::vector<Item> wanted;
  thalweg::run(job_of(wanted), thalweg::sequential{});
  EXPECT_EQ(seen.size(), wanted.size());
  const auto n = std::min(seen.size(), wanted.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (seen[i] == wanted[i]) continue;
    ADD_FAILURE() << "the first of " << n << " items that differ is that at " << i;
    break;
  }
  EXPECT_EQ(r.items(), wanted.size());
}

}  // namespace ranks
