// C++14, as what includes it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

/// What the classic interface of TBB is made of here: oneTBB, which has other classes under its names, so
/// that no file sees both.
namespace spb {
namespace classic_tbb {

enum class turn { any, in_order, one_by_one };

/// A stage of a pipeline: `work(stage, item)` gives the next stage its item. The first one gets null, and
/// gives null at the end.
struct stage {
  turn when;
  void* of;
  void* (*work)(void* of, void* item);
};

/// Runs them with at most so many items under way.
void run(const std::vector<stage>& stages, std::size_t most_items);

/// While it lives, pipelines have so many threads, that of the caller included.
class thread_limit {
 public:
  explicit thread_limit(int threads);
  thread_limit(const thread_limit&) = delete;
  thread_limit& operator=(const thread_limit&) = delete;
  ~thread_limit();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace classic_tbb
}  // namespace spb
