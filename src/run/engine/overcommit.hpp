#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <sys/types.h>
#include <time.h>

namespace THALWEG_NAMESPACE::run_detail {
class thread_log;
}

namespace THALWEG_NAMESPACE::run_detail::dataflow {

class graph_engine;
class replicated;
class thread_group;

/// Threads beyond the cores. Where an operator waits for the outside (a disk, a socket, a lock), its thread
/// leaves its core idle. A thread waits for the outside when it neither uses a core, nor has nothing to do,
/// nor waits for a core. Where threads spend most of their time in waiting, and items wait, their number is
/// doubled, and with it the replicas of farms that do not say how many they have. A change that has not made
/// the stream quicker by a fifth is taken back, and is tried again after a while. Where the threads have
/// hardly waited for a while they become fewer again, unless that makes the stream slower. A run that adapts
/// itself (`run_options::adapt`) decides otherwise, and this does nothing.
class overcommit {
 public:
  explicit overcommit(graph_engine& n) : net_(n) {}

  /// The most threads that share nodes, and the most replicas of a farm: 64, or sixteen times the cores if
  /// that is more, but never more than 256.
  [[nodiscard]] static std::size_t most_threads();
  /// The calling thread executes nodes of this group from now on. Any thread.
  void joined(const thread_group& s, const thread_log& log);
  /// Looks whether more threads would help, or fewer. Returns whether it is measuring: then the monitor
  /// must not rest. The monitor's thread.
  bool look(std::int64_t now);

 private:
  struct executor {
    const thread_group* group;
    const thread_log* log;
    clockid_t clock;
    pid_t thread;
  };
  // What grows together: threads that share nodes, with the farms among these; or a farm whose replicas have
  // threads of their own.
  struct unit {
    thread_group* shared = nullptr;
    std::vector<replicated*> farms = {};
    std::size_t least = 1, most = 1, size = 1;
    // The interval that is being measured: since when, and what had been done and used until then.
    std::int64_t began_ns = 0;
    std::uint64_t done = 0;
    std::int64_t used_ns = 0;
    std::int64_t delay_ns = -1;  // -1: it was not looked at
    // Another size is being tried: the one before, and how many items a nanosecond it took.
    bool tries = false, settles = false;
    std::size_t size_before = 1;
    double rate_before = 0;
    std::int64_t not_before_ns = 0, pause_ns = 0;
    std::int64_t works_since_ns = 0;  // since when its threads have hardly waited; 0: they do
  };

  void find_units();
  void consider(unit& u, std::int64_t now);
  void begin(unit& u, std::int64_t now);
  void try_size(unit& u, std::size_t n, double rate);
  [[nodiscard]] bool is_saturated(const unit& u) const;
  [[nodiscard]] static std::int64_t used_ns_of(const executor& e);
  [[nodiscard]] double waiting(unit& u, std::int64_t lasted_ns);
  [[nodiscard]] std::uint64_t items_done(const unit& u) const;
  [[nodiscard]] std::vector<executor> threads_of(const unit& u);
  void resize(unit& u, std::size_t n);

  graph_engine& net_;
  std::mutex lock_;
  std::vector<executor> executors_;  // under `lock_`
  bool found_ = false;
  std::vector<unit> units_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
