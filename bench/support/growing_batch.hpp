#pragma once

#include <algorithm>
#include <chrono>

#include "spb/api.hpp"

/// Lets the batches of the source grow while the stream runs: from 1 element to `most`, in equal steps of
/// time over so many seconds from its construction. Then they stay as they are.
class growing_batch {
 public:
  growing_batch(int most, int seconds) : most_(most), time_(seconds) {}

  /// To be called before the source fills an item, by one thread at a time.
  void set_size() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
    spb::SPBench::setBatchSize(std::min(1 + static_cast<int>(passed / time_ * most_), most_));
  }

 private:
  int most_;
  std::chrono::duration<double> time_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};
