#pragma once

#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/idle_set.hpp>
#include <thalweg/pipe/membarrier.hpp>
#include <thalweg/pipe/pause.hpp>
#include <thalweg/pipe/spinlock.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail::dataflow {

class node;

/// Threads that share the nodes that are ready.
class worker_group {
 public:
  worker_group() = default;
  worker_group(const worker_group&) = delete;
  worker_group& operator=(const worker_group&) = delete;
  virtual ~worker_group() = default;

  /// How urgent a node is. What somebody has just sent items to lies downstream of those that were executed
  /// until now, and comes first; one that goes on with what it did comes last.
  enum class turn : std::uint8_t { first, last };
  /// A node has become ready. `soon`: the calling thread belongs to the worker_group and is about to look for
  /// work.
  virtual void submit(node& n, turn when, bool soon) = 0;
  /// A node to execute, claimed, whose place along the stream lies beyond that one; null if there is none.
  [[nodiscard]] virtual node* take(std::size_t beyond = 0) = 0;
  /// How many nodes are ready, at most: somebody who waited for one may have executed it meanwhile.
  [[nodiscard]] virtual std::size_t ready() const noexcept = 0;
  /// Whether somebody has nothing to do, and could take what becomes ready.
  [[nodiscard]] virtual bool has_idle() const noexcept { return false; }
  /// The calling thread is not going to take what is ready: others shall, if they sleep.
  virtual void call_others() noexcept {}
  /// Makes sleeping threads look at the flags again.
  virtual void wake() noexcept = 0;
};

/// The nodes that are ready.
class ready_queue {
 public:
  /// Returns how many there are then.
  std::size_t push(node& n, worker_group::turn when);
  /// Whether it pays to have one more thread take some of them, beside one that is about to: a wake-up costs
  /// as much as some microseconds of work.
  [[nodiscard]] bool worth_another() noexcept;
  /// One of them, claimed, whose place lies beyond that one; null if there is none.
  [[nodiscard]] node* pop(std::size_t beyond);
  [[nodiscard]] std::size_t size() const noexcept { return waiting_.load(std::memory_order_relaxed); }
  /// How many have been taken out of it.
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> taken_{0};  // written under the lock
  pipe::spinlock lock_;
  std::deque<node*> nodes_;
  std::atomic<std::size_t> waiting_{0};
};

/// A worker_group of threads that do nothing else.
class thread_group final : public worker_group {
 public:
  /// With `threads` of them, and room for `most`.
  thread_group(std::size_t threads, std::size_t most) : size_(threads), idle_(std::max(threads, most)) {}

  /// Its threads are made when they are first needed; `spawn` makes the one with a number, and says
  /// whether it could.
  void spawn_by(std::function<bool(std::size_t)> spawn) {
    spawn_ = std::move(spawn);
    // `start` makes the first. Another rank may have something ready already.
    spawned_.store(1, std::memory_order_release);
  }

  void submit(node& n, turn when, bool soon) override;
  [[nodiscard]] node* take(std::size_t beyond = 0) override { return ready_.pop(beyond); }
  [[nodiscard]] std::size_t ready() const noexcept override { return ready_.size(); }
  [[nodiscard]] bool has_idle() const noexcept override {
    return idle_.idle_count() > ready() || may_spawn();
  }
  [[nodiscard]] std::uint64_t taken() const noexcept { return ready_.taken(); }
  void call_others() noexcept override {
    if (busy()) call();
  }
  /// One more thread looks for work: one that sleeps, or a new one.
  void call() noexcept;
  [[nodiscard]] bool anybody_idle() const noexcept { return idle_.idle_count() > 0 || may_spawn(); }
  void wake() noexcept override;

  /// Thread `number` sleeps until something is ready, `over()` holds or `deadline` has passed, after it has
  /// stayed `awake` for a while. Returns for how long, in ns; 0: it need not.
  template <class Over>
  std::int64_t sleep(std::size_t number, std::int64_t deadline, std::chrono::nanoseconds awake, Over&& over) {
    const auto something = [&] { return busy() || over(); };
    if (pipe::spin_until(something, std::max(spin, awake))) return 0;
    idle_.register_idle(number);
    if (something()) {
      if (!idle_.cancel_idle(number)) idle_.wake_one();
      return 0;
    }
    const auto begin = observe::now_ns();
    if (deadline == std::numeric_limits<std::int64_t>::max()) {
      idle_.park(number);
    } else {
      idle_.park_until(number, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline)));
    }
    return observe::now_ns() - begin;
  }

  [[nodiscard]] bool busy() const noexcept { return ready() > 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  /// How many of them have been made.
  [[nodiscard]] std::size_t spawned() const noexcept {
    const auto n = spawned_.load();
    return n > 0 ? n : size();
  }
  [[nodiscard]] std::size_t most() const noexcept { return idle_.size(); }
  /// There are so many from now on. Those that are too many rest.
  void resize(std::size_t n);
  /// The calling thread, one of those that are too many, waits until it is not, or until `over()` holds.
  template <class Over> void rest(std::size_t number, Over&& over) {
    if (busy()) call();  // its wake-up was meant for this node: another thread takes it
    std::unique_lock hold(resting_);
    anybody_rests_.store(true);
    pipe::full_fence();  // the thread that ends the run sees this, or this sees the end
    changed_.wait(hold, [&] { return number < size() || over(); });
  }

  std::vector<node*> timed;  ///< those that want to be notified at a time
  std::vector<int> pin;
  bool pinned_in_turn = false;  ///< to one of the policy's processors
  std::chrono::nanoseconds spin = pipe::spin_time;

 private:
  [[nodiscard]] bool may_spawn() const noexcept {
    const auto n = spawned_.load(std::memory_order_acquire);
    return n > 0 && n < size();
  }

  std::atomic<std::size_t> size_;
  std::mutex resting_;
  std::condition_variable changed_;
  std::atomic<bool> anybody_rests_{false};
  std::atomic<std::size_t> spawned_{0};  // 0: all threads are there from the beginning
  std::function<bool(std::size_t)> spawn_;
  pipe::spinlock spawning_;
  pipe::idle_set idle_;
  ready_queue ready_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
