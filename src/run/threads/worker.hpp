#pragma once

#include <thalweg/run/engine.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "bell.hpp"

namespace thalweg::run_detail::dedicated {

class agent;

/// A thread. It has one agent, or, if it is the caller's, as many as there are nodes that must run there:
/// then it takes them in turns, and one that waits for room lets those further down go on.
class worker {
 public:
  explicit worker(run_state& run) : run_(run) {}

  /// Before the thread runs; in the order of the stream.
  void add(agent& a) { agents_.push_back(&a); }
  /// Before the thread runs: there are fewer cores than threads.
  void share_the_core() noexcept { bell_.share_the_core(); }
  /// The stages it executes, by their numbers: from the first one of the first agent's to the last's last.
  [[nodiscard]] std::pair<std::size_t, std::size_t> stages() const noexcept;
  /// The thread's life: returns when all its agents have ended or the run is cancelled.
  void work(thread_log& log);
  /// Waits in the middle of an agent's work; throws cancelled if the run is.
  void wait_until(const agent& who, const std::function<bool()>& ready);
  bool ring() noexcept { return bell_.ring(); }
  void woke() noexcept { log_->work.wakes.add(); }

 private:
  bool run_one(std::size_t from);
  template <class Ready> void sleep(std::size_t from, Ready&& ready);

  run_state& run_;
  thread_log* log_ = nullptr;
  std::vector<agent*> agents_;
  bell bell_;
};

}  // namespace thalweg::run_detail::dedicated
