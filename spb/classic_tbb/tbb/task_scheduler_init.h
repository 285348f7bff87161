/// How many threads TBB has, for programs that say it as before oneTBB.
#pragma once

#include <memory>

#include "spb/classic_tbb/run.hpp"

namespace tbb {

class task_scheduler_init {
 public:
  static const int automatic = -1;
  static const int deferred = -2;

  explicit task_scheduler_init(int threads = automatic) { initialize(threads); }
  void initialize(int threads = automatic) {
    terminate();
    if (threads != deferred) limit_.reset(new spb::classic_tbb::thread_limit(threads));
  }
  void terminate() { limit_.reset(); }
  bool is_active() const { return limit_ != nullptr; }

 private:
  std::unique_ptr<spb::classic_tbb::thread_limit> limit_;
};

}  // namespace tbb
