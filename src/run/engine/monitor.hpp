#pragma once

#include <thalweg/version.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail::dataflow {

class channel;
class graph_engine;
class stage_runner;

/// A thread that looks at a run every millisecond and corrects what no worker can see:
///   - a run of items that takes long, since its items have become expensive, is cut short: others can take
///     the rest of it, and what has become of it so far goes on;
///   - what lies in the half-filled chunk of a source that waits is given to its receiver;
///   - a node that is ready while threads sleep gets one of them;
///   - where operators wait for the outside there are more threads, while that helps, or fewer again
///     (`overcommit`);
///   - of several ranks, one whose threads are all held by calls that wait gets one more (`stand_ins`);
///   - it sets how long runs of items are to be;
///   - a run in which nothing can ever move again ends with an error (`graph_engine::stands_still`), and a
///     loop that waits for itself while sources could still give is told of by the logger.
/// It begins when the run has lasted 300 µs, or when somebody needs it (`graph_engine::watch`): short runs do
/// without it. It rests when three looks find nothing to do: 8 ms at first, then up to 32 ms, until a run of
/// several items begins (`attend`).
class monitor {
 public:
  explicit monitor(graph_engine& n) : net_(n) {}
  ~monitor();

  /// Any thread. Does nothing once it has begun.
  void begin();
  void end();
  /// A run of several items begins: ends a rest. Any thread.
  void attend() noexcept {
    if (rests_.load(std::memory_order_relaxed)) call();
  }

 private:
  void watch();
  bool look();
  void call() noexcept;
  [[nodiscard]] bool is_quiet();
  void cut_long_runs(std::int64_t now);
  void hand_on_what_was_lent();
  void call_threads();
  void end_deadlock(std::int64_t now);
  void tell_of_loops(std::int64_t now);

  graph_engine& net_;
  std::mutex lock_;
  std::condition_variable changed_;
  bool over_ = false;
  std::atomic<bool> rests_{false};
  std::thread thread_;
  std::unordered_map<const channel*, std::size_t> lent_;  // what lay in its lent chunk at the last look
  std::vector<stage_runner*> runners_;
  std::vector<std::size_t> ready_;  // nodes that were ready then, by group of threads
  std::uint64_t stands_since_ = 0;  // what `moved` was when nothing moved
  std::int64_t stood_ns_ = 0;       // since when; 0: something moves
  struct resting_loop {
    std::uint64_t items_done = 0;
    std::int64_t since_ns = 0;
    bool told = false;
  };
  std::vector<resting_loop> loops_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
