/// `gate_options`: how much may wait in a tap or a feed.
#pragma once

#include <thalweg/model/connect.hpp>
#include <thalweg/model/errors.hpp>
#include <thalweg/pipe/pause.hpp>
#include <thalweg/pipe/spinlock.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// The options of a port that is opened while a graph runs: see `tw::tap` and `tw::feed`.
struct gate_options {
  /// At most this many items wait in it. (The taker fetches all that wait at once.)
  std::int64_t capacity = 1024;
  /// What happens to an item that finds it full.
  thalweg::when_full when_full = thalweg::when_full::block;
};

namespace model {

/// Tells a run, if one is going on, that something has come from outside for one of its stages.
class bell {
 public:
  class listener {
   public:
    virtual void rung() = 0;

   protected:
    ~listener() = default;
  };

  /// Any thread.
  void ring() {
    rung_.store(true, std::memory_order_release);
    const std::lock_guard hold(lock_);
    if (who_ != nullptr) who_->rung();
  }
  /// Whether it has been rung since `answer`.
  [[nodiscard]] bool rung() const noexcept { return rung_.load(std::memory_order_acquire); }
  void answer() noexcept { rung_.store(false, std::memory_order_release); }
  void listen(listener& who) {
    const std::lock_guard hold(lock_);
    who_ = &who;
  }
  void forget(const listener& who) {
    const std::lock_guard hold(lock_);
    if (who_ == &who) who_ = nullptr;
  }

 private:
  std::atomic<bool> rung_{false};
  pipe::spinlock lock_;
  listener* who_ = nullptr;
};

/// What the engines know of ports that are opened and closed while a graph runs.
class gateway {
 public:
  virtual ~gateway() = default;
  /// Items may still come in through one of them.
  [[nodiscard]] virtual bool kept_open() const noexcept { return false; }
  /// The stage waits for what comes in through one of them, and for nothing else.
  [[nodiscard]] virtual bool waits_outside() const noexcept { return false; }
  /// The run is to end: no more shall come in.
  virtual void close_feeds() {}
  /// The run is over, however it has ended.
  virtual void run_over() = 0;
  /// How many are open, to be looked at by any thread.
  [[nodiscard]] virtual std::size_t taps() const { return 0; }
  [[nodiscard]] virtual std::size_t feeds() const { return 0; }

  std::atomic<bool> in_loop{false};  ///< of a graph
  const std::shared_ptr<bell> door = std::make_shared<bell>();
  std::uint64_t sent_out = 0;     ///< items, so far; of the stage
  std::uint64_t dropped_out = 0;  ///< since somebody looked
};

/// A bounded queue between a stage and a thread outside the graph. One thread at a time puts in, and one
/// takes out; both at once. What has been put in comes out in that order. The taker gets all that
/// waits at once, so the two meet rarely.
template <class T> class gate {
 public:
  enum class put : std::uint8_t { taken, dropped, full, over };

  /// `door` is rung when something comes into an empty gate, and at its end.
  explicit gate(const gate_options& opts, std::shared_ptr<bell> door = nullptr)
      : capacity_(static_cast<std::size_t>(opts.capacity)), full_(opts.when_full), door_(std::move(door)) {}

  // The side that puts in.

  /// Moves `x` in, unless it is `full` (`x` is untouched then) or no one wants anything any more. Not
  /// `bounded`, a gate that blocks takes it though it is full.
  put try_push(T& x, bool bounded = true) {
    bool first = false;
    auto what = put::taken;
    {
      const std::lock_guard hold(lock_);
      if (ended_) return put::over;
      if (waiting_.size() >= capacity_ && (bounded || full_ != when_full::block)) {
        if (full_ == when_full::block) return put::full;
        dropped_.fetch_add(1, std::memory_order_relaxed);
        what = put::dropped;
        if (full_ == when_full::drop_new) return what;
        waiting_.pop_front();
      }
      first = waiting_.empty();
      waiting_.push_back(std::move(x));
      news_.store(true, std::memory_order_release);
    }
    if (first) tell();
    return what;
  }
  /// Waits until there may be room, for so long at most.
  void wait_for_room(std::chrono::microseconds most) {
    std::unique_lock hold(lock_);
    if (ended_ || waiting_.size() < capacity_) return;
    room_.wait_for(hold, most);
  }
  /// Nothing more will be put in; what is there may still be taken out. Any thread.
  void end() {
    {
      const std::lock_guard hold(lock_);
      if (std::exchange(ended_, true)) return;
      news_.store(true, std::memory_order_release);
    }
    room_.notify_all();
    tell();
  }
  /// Nothing will be taken out, or put in.
  [[nodiscard]] bool over() const {
    const std::lock_guard hold(lock_);
    return ended_;
  }

  // The side that takes out.

  /// What can be had without waiting has been looked at, and there is an item.
  [[nodiscard]] bool available() const noexcept { return !taken_.empty(); }
  [[nodiscard]] const T& front() const noexcept { return taken_.front(); }
  T take() {
    T x = std::move(taken_.front());
    taken_.pop_front();
    auto left = left_.load(std::memory_order_relaxed);
    while (left != 0 && !left_.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) {
    }
    if (left == 0) given_up_.fetch_sub(1, std::memory_order_relaxed);  // counted by `abandon` just before
    return x;
  }
  /// Looks for items if there are none.
  void refill() {
    if (abandoned_.load(std::memory_order_relaxed)) taken_.clear();
    if (!taken_.empty() || !news_.load(std::memory_order_acquire)) return;
    {
      const std::lock_guard hold(lock_);
      taken_.swap(waiting_);
      left_.store(taken_.size(), std::memory_order_relaxed);
      finished_ = ended_;
      news_.store(false, std::memory_order_relaxed);
    }
    room_.notify_all();
  }
  /// There was nothing when it was looked at last, and there will be nothing.
  [[nodiscard]] bool finished() const noexcept { return taken_.empty() && finished_; }
  /// Waits until there may be something, for so long at most.
  void wait_for_items(std::chrono::microseconds most) {
    if (pipe::spin_until([&] { return news_.load(std::memory_order_relaxed); })) return;
    std::unique_lock hold(lock_);
    items_.wait_for(hold, most, [&] { return news_.load(std::memory_order_relaxed); });
  }
  /// What is there, or comes, is not wanted any more. Any thread.
  void abandon() {
    {
      const std::lock_guard hold(lock_);
      if (abandoned_.exchange(true, std::memory_order_relaxed)) return;
      ended_ = true;
      given_up_.fetch_add(static_cast<std::int64_t>(waiting_.size() + left_.exchange(0)),
                          std::memory_order_relaxed);
      waiting_.clear();
      news_.store(true, std::memory_order_release);
    }
    room_.notify_all();
    tell();
  }

  // Anybody.

  [[nodiscard]] std::int64_t waiting() const {
    const std::lock_guard hold(lock_);
    return static_cast<std::int64_t>(waiting_.size());
  }
  /// How many can be put in without waiting for room.
  [[nodiscard]] std::size_t free() const {
    if (full_ != when_full::block) return std::numeric_limits<std::size_t>::max();
    const std::lock_guard hold(lock_);
    return capacity_ - std::min(capacity_, waiting_.size());
  }
  /// Items that came when it was full, or waited when they were not wanted any more.
  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return dropped_.load(std::memory_order_relaxed) +
           static_cast<std::uint64_t>(given_up_.load(std::memory_order_relaxed));
  }
  /// Of these, what was not wanted any more. Once nothing is put in or taken out.
  [[nodiscard]] std::uint64_t given_up() const noexcept {
    return static_cast<std::uint64_t>(given_up_.load(std::memory_order_relaxed));
  }

 private:
  void tell() {
    items_.notify_all();
    if (door_) door_->ring();
  }

  const std::size_t capacity_;
  const thalweg::when_full full_;
  const std::shared_ptr<bell> door_;
  mutable std::mutex lock_;
  std::condition_variable items_, room_;
  std::deque<T> waiting_;
  bool ended_ = false;
  std::atomic<bool> news_{false};  // something waits, or it has ended
  std::atomic<bool> abandoned_{false};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::int64_t> given_up_{0};
  std::atomic<std::size_t> left_{0};  // how many `taken_` holds, for `abandon`
  std::deque<T> taken_;               // of the thread that takes out
  bool finished_ = false;
};

/// The gates of a stage: any thread opens them, the stage looks at them.
template <class T> class gates {
 public:
  using pointer = std::shared_ptr<gate<T>>;

  ~gates() { clear(); }

  /// A new one; where the stage has ended already, one that has ended too.
  pointer open(const gate_options& opts, std::shared_ptr<bell> door = nullptr) {
    if (opts.capacity < 1) throw error(".capacity must be at least 1, not " + std::to_string(opts.capacity));
    auto made = std::make_shared<gate<T>>(opts, std::move(door));
    const std::lock_guard hold(lock_);
    if (closed_) {
      made->abandon();
    } else {
      all_.push_back(made);
      open_.fetch_add(1);
    }
    return made;
  }
  /// How many are open: a glance.
  [[nodiscard]] std::size_t open_now() const noexcept { return open_.load(std::memory_order_acquire); }
  /// The same, for any thread: without those that have been closed since the stage has looked.
  [[nodiscard]] std::size_t count() const {
    const std::lock_guard hold(lock_);
    return static_cast<std::size_t>(
        std::count_if(all_.begin(), all_.end(), [](const pointer& g) { return !g->over(); }));
  }
  /// Those that are open. `is_over(gate)` says which of them to forget.
  template <class F> std::vector<pointer> look(F&& is_over) {
    const std::lock_guard hold(lock_);
    std::erase_if(all_, [&](const pointer& g) { return is_over(*g); });
    open_.store(all_.size(), std::memory_order_release);
    return all_;
  }
  /// The stage ends: there will be no new ones. Returns those that are open.
  std::vector<pointer> close() {
    const std::lock_guard hold(lock_);
    closed_ = true;
    return all_;
  }
  template <class F> void each(F&& f) {
    std::vector<pointer> all;
    {
      const std::lock_guard hold(lock_);
      all = all_;
    }
    for (auto& g : all) f(*g);
  }
  /// The run is over: so are they. The next run may have new ones.
  void clear() {
    std::vector<pointer> all;
    {
      const std::lock_guard hold(lock_);
      all.swap(all_);
      open_.store(0, std::memory_order_release);
      closed_ = false;
    }
    for (auto& g : all) g->end();
  }

 private:
  mutable pipe::spinlock lock_;
  std::vector<pointer> all_;
  std::atomic<std::size_t> open_{0};
  bool closed_ = false;
};

}  // namespace model
}  // namespace THALWEG_NAMESPACE
