#pragma once

#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <set>
#include <thread>
#include <vector>

/// An item that knows where it has been worked on.
struct done_by {
  long number = 0;
  int rank = 0;
};

/// What comes out of a stream that goes on until it has been seen to do what is waited for.
struct watched {
  std::vector<done_by> seen;
  std::atomic<std::size_t> count{0};

  auto sink() {
    return thalweg::sink(
        [this](done_by d) {
          seen.push_back(d);
          count.store(seen.size(), std::memory_order_release);
        },
        {.name = "write"});
  }
  /// Until so many have come in all.
  void wait_for(std::size_t n) const {
    while (count.load(std::memory_order_acquire) < n)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  /// Until so many have come after this was called: not for streams that wait for their end to come so far.
  void wait_for_more(std::size_t n) const { wait_for(count.load() + n); }
  /// All from 0 on, once each.
  [[nodiscard]] bool in_order() const {
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i].number != static_cast<long>(i)) return false;
    }
    return true;
  }
  [[nodiscard]] std::set<int> ranks(std::size_t first, std::size_t last) const {
    std::set<int> all;
    for (auto i = first; i < std::min(last, seen.size()); ++i) all.insert(seen[i].rank);
    return all;
  }
};
