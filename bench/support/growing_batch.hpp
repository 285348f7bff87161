#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "spb/api.hpp"

/// Lets the batches of the source grow while the stream runs: from 1 element to `most`, in equal steps of
/// time over so many seconds. Then they stay as they are. It ends with the object.
class growing_batch {
 public:
  growing_batch(int most, int seconds)
      : thread_([=](const std::stop_token& stop) { grow(stop, most, std::chrono::seconds(seconds)); }) {}

 private:
  static void grow(const std::stop_token& stop, int most, std::chrono::duration<double> time) {
    std::mutex lock;
    std::unique_lock held(lock);
    std::condition_variable_any woken;
    const auto step = time / most;
    for (int size = 1; size <= most; ++size) {
      spb::SPBench::setBatchSize(size);
      woken.wait_for(held, stop, step, [] { return false; });
      if (stop.stop_requested()) return;
    }
  }

  std::jthread thread_;
};
