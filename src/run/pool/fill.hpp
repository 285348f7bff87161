#pragma once

#include <thalweg/pipe/chunk.hpp>
#include <thalweg/pipe/spinlock.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "tuning.hpp"

namespace thalweg::run_detail::pooled {

/// The chunk that the source is filling, open to others: no item waits in it while the source waits and a
/// worker is idle. One idle worker is the watcher. It looks every `watch_ns`; if the chunk has not grown
/// since its last look, its filler is held up, and the watcher takes what is there. Numbers given to the
/// source's chunks are given under `lock`.
class fill {
 public:
  static constexpr int nobody = -1;

  pipe::spinlock lock;

  /// Worker `by` (an agent: `nobody`) begins to fill `out`. Returns whether somebody watches.
  bool open(pipe::chunk_base& out, int by) {
    const std::lock_guard hold(lock);
    open_ = &out;
    ++opened_;
    active_.store(true, std::memory_order_relaxed);
    if (by != nobody && watcher_ == by) watcher_ = nobody;  // who fills cannot watch
    return watcher_ != nobody;
  }

  void close() {
    const std::lock_guard hold(lock);
    open_ = nullptr;
  }

  /// An idle worker offers to watch. Returns whether it shall.
  bool watch(int worker) {
    if (!active_.load(std::memory_order_relaxed)) return false;
    const std::lock_guard hold(lock);
    if (watcher_ == nobody) watcher_ = worker;
    return watcher_ == worker;
  }

  /// The watcher looks: is there something that waits? Anybody else gets false.
  bool look(int worker) {
    if (!active_.load(std::memory_order_relaxed)) return false;
    const std::lock_guard hold(lock);
    if (watcher_ != worker) return false;
    const auto size = open_ != nullptr ? open_->size() : 0;
    const bool still = opened_ == seen_opened_ && size == seen_size_;
    seen_opened_ = opened_;
    seen_size_ = size;
    in_vain_ = open_ != nullptr || !still ? 0 : in_vain_ + 1;
    if (in_vain_ > 10) {  // chunks of several items have become rare: sleep without a watch
      active_.store(false, std::memory_order_relaxed);
      watcher_ = nobody;
    }
    return still && size > 0;
  }

  /// The watcher has found something to do. Returns whether a chunk is left that nobody watches.
  bool resign(int worker) {
    if (!active_.load(std::memory_order_relaxed)) return false;
    const std::lock_guard hold(lock);
    if (watcher_ != worker) return false;
    watcher_ = nobody;
    return open_ != nullptr;
  }

  /// Under `lock`: what is being filled, or null.
  [[nodiscard]] pipe::chunk_base* opened() const noexcept { return open_; }
  /// Under `lock`: the watcher has taken over as a worker.
  void relieve() { watcher_ = nobody; }

 private:
  pipe::chunk_base* open_ = nullptr;
  std::uint64_t opened_ = 0;
  std::atomic<bool> active_{false};
  int watcher_ = nobody;
  std::uint64_t seen_opened_ = 0;
  std::size_t seen_size_ = 0;
  int in_vain_ = 0;
};

}  // namespace thalweg::run_detail::pooled
