#pragma once

#include <thalweg/version.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace THALWEG_NAMESPACE::live {

/// Threads that begin when there is something to do, at most so many at a time, and end when there is not.
class worker_threads {
 public:
  explicit worker_threads(std::size_t most) : most_(most) {}
  worker_threads(const worker_threads&) = delete;
  worker_threads& operator=(const worker_threads&) = delete;
  ~worker_threads();

  /// Calls `work` soon, on one of the threads.
  void give(std::function<void()> work);
  /// Returns when all that was given is done. Thread-safe.
  void finish();

 private:
  using threads = std::list<std::thread>;

  void work_as(threads::iterator self);

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable ended_one_;
  std::deque<std::function<void()>> waiting_;
  threads at_work_, ended_;
};

}  // namespace THALWEG_NAMESPACE::live
