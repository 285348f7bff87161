#pragma once

// The protocol of the ring.
//
// State: two positions that only grow, `tail_` and `head_`. `signals_` says who sleeps and whether the
//   ring is closed.
// Writers: the producer writes `tail_` and the slots in front of it, the consumer writes `head_`. A side
//   sets its own bit in `signals_` before it sleeps; both sides clear it. Any thread closes.
// Invariant: head <= tail <= head + capacity, and the slots from head up to tail hold items. A side sets
//   its bit, executes a heavy fence and looks at the position of the other side. The other side moves its
//   position and then looks at the bit. So one of the two sees the other. A closed ring stays closed.
// Model: docs/protocols/ring.pml.

#include <thalweg/pipe/cache_line.hpp>
#include <thalweg/pipe/futex.hpp>
#include <thalweg/pipe/membarrier.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE::pipe {

/// How a thread waits for the other end of a ring.
enum class wait {
  adaptive,  ///< spins for about 2 µs, then sleeps: right nearly always
  spin,      ///< never sleeps: the shortest latency, for the price of a core per waiting thread
  park       ///< sleeps at once: right where threads outnumber cores and waits are long
};

namespace detail {

/// What a ring is besides its slots: two positions that only grow, who sleeps, and whether it is closed.
class ring_core {
 public:
  ring_core(std::size_t capacity, wait how);
  ring_core(const ring_core&) = delete;
  ring_core& operator=(const ring_core&) = delete;

  std::size_t capacity() const noexcept { return capacity_; }
  std::size_t quarter() const noexcept { return quarter_; }
  bool closed() const noexcept { return (signals_.load(std::memory_order_acquire) & closed_bit) != 0; }
  void close() noexcept;

  std::size_t size() const noexcept {
    const auto head = head_.load(std::memory_order_acquire);
    const auto held = tail_.load(std::memory_order_acquire) - head;  // tail last, so that it is never behind
    return std::min(held, capacity_);
  }

  // The producer's side. `tail` is always its own position.

  std::size_t tail() const noexcept { return tail_.load(std::memory_order_relaxed); }

  /// Free slots, from the last look at the consumer's position; looks again if there were fewer than
  /// `wanted`.
  std::size_t room(std::size_t tail, std::size_t wanted) noexcept {
    if (capacity_ - (tail - head_seen_) < wanted) [[unlikely]]
      head_seen_ = head_.load(std::memory_order_acquire);
    return capacity_ - (tail - head_seen_);
  }

  bool closed_to_pushes() const noexcept {
    return (signals_.load(std::memory_order_relaxed) & closed_bit) != 0;
  }

  /// Blocks until there is room. Returns false if the ring is closed.
  bool wait_for_room(std::size_t tail) noexcept;

  /// Hands all slots before `tail` to the consumer.
  void publish_tail(std::size_t tail) noexcept {
    tail_.store(tail, std::memory_order_release);
    light_fence();  // pairs with the heavy fence of a consumer that goes to sleep
    if (signals_.load(std::memory_order_relaxed) & consumer_sleeps) [[unlikely]]
      wake_consumer();
  }

  // The consumer's side. `head` is always its own position.

  std::size_t head() const noexcept { return head_.load(std::memory_order_relaxed); }

  /// Items that wait, from the last look at the producer's position; looks again if there were fewer than
  /// `wanted`.
  std::size_t waiting(std::size_t head, std::size_t wanted) noexcept {
    if (tail_seen_ - head < wanted) tail_seen_ = tail_.load(std::memory_order_acquire);
    return tail_seen_ - head;
  }

  /// Whether everything that the last look found has been taken.
  bool used_up(std::size_t head) const noexcept { return tail_seen_ == head; }

  /// Looks, and blocks until there is at least one item. Returns 0 at the end: closed and drained.
  std::size_t wait_for_items(std::size_t head, std::size_t wanted) noexcept;

  /// Hands all slots before `head` back to the producer.
  void publish_head(std::size_t head) noexcept {
    head_.store(head, std::memory_order_release);
    light_fence();  // pairs with the heavy fence of a producer that goes to sleep
    if (signals_.load(std::memory_order_relaxed) & producer_sleeps) [[unlikely]]
      wake_producer(head);
  }

 private:
  static constexpr std::uint32_t closed_bit = 1;
  static constexpr std::uint32_t consumer_sleeps = 2;
  static constexpr std::uint32_t producer_sleeps = 4;

  /// What one thread has learned about waiting here.
  struct side {
    bool has_woken_other = false;
    unsigned vain_spins = 0;
    unsigned spins_to_skip = 0;
  };

  template <class Ready> bool spin(side& self, int pauses, Ready&& ready) noexcept;
  void wake(std::uint32_t sleeper, side& waker) noexcept;
  void wake_consumer() noexcept;
  void wake_producer(std::size_t head) noexcept;
  bool wait_for_first(std::size_t head) noexcept;
  void breathe(std::size_t head, std::size_t wanted) noexcept;

  // Read by both, written by nobody.
  const std::size_t capacity_;
  const std::size_t quarter_;
  const wait how_;

  // The producer's line.
  alignas(cache_line) std::atomic<std::size_t> tail_{0};
  std::size_t head_seen_ = 0;
  side producer_;

  // The consumer's line.
  alignas(cache_line) std::atomic<std::size_t> head_{0};
  std::size_t tail_seen_ = 0;
  std::size_t last_gulp_ = 0;
  unsigned breaths_to_skip_ = 0;
  side consumer_;

  // Read by both all the time, written only when somebody goes to sleep or closes. Both sleep on it.
  alignas(cache_line) futex_word signals_{0};
};

}  // namespace detail

/// A bounded pipe from one producer thread to one consumer thread, in order.
///
/// `T` is any movable type; no value is reserved. The ring holds exactly `capacity` items, any number from 1.
/// One thread at a time pushes and one at a time pops; handing a role to another thread needs the usual
/// synchronisation. `close()` may be called by any thread.
///
/// The end never overtakes data: after the producer closes, `pop` still delivers everything pushed and only
/// then says "end". After the consumer (or a third thread) closes, `push` says "closed" and what is left in
/// the ring is destroyed with it, unless the consumer drains it.
///
/// How it is made fast: an item is published by one store of the producer's position; each side looks at the
/// other's position only when what it saw last is used up; the consumer takes gulps, and when a fast producer
/// has only just begun to fill one, it takes a short breath first, because looking costs the producer more
/// than waiting; slots go back by the quarter. And the consumer writes into every slot that it has emptied:
/// its core then owns the line, and the producer's next write takes a line from one owner, which modern cores
/// do several times faster than withdrawing it from several readers.
///
/// Where it comes from: that one producer and one consumer need no more than two positions is Lamport's
/// ("Proving the Correctness of Multiprocess Programs", 1977; "Specifying Concurrent Program Modules", 1983).
/// That each side keeps what it last saw of the other's position, and that many slots go over at once, is
/// MCRingBuffer's (Lee, Bu and Chandranmenon, "A Lock-Free, Cache-Efficient Shared Ring Buffer for Multi-Core
/// Architectures", ANCS 2009); rigtorp's SPSCQueue keeps positions in the same way. Sleeping rests on the
/// fences of membarrier.hpp.
///
///     pipe::ring<std::string> words(1024);
///     std::thread producer([&] {
///       for (auto& w : read()) {
///         if (!words.push(std::move(w))) return;       // the consumer has closed
///       }
///       words.close();
///     });
///     while (words.pop_some([&](std::string& w) { count(w); })) {
///     }
template <class T>
  requires std::is_object_v<T> && std::move_constructible<T>
class ring {
 public:
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  /// Throws std::invalid_argument if `capacity` is 0, std::bad_alloc if there is no memory for it.
  explicit ring(std::size_t capacity, wait how = wait::adaptive) : core_(capacity, how), slots_(capacity) {}

  /// Destroys what is left. No thread may be inside a call.
  ~ring() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (auto at = core_.head(); at != core_.tail(); ++at) std::destroy_at(slots_.item(at));
    }
  }

  // Producer

  /// Moves `item` in. Returns false, and leaves it untouched, if the ring is full or closed.
  template <class U = T>
    requires std::convertible_to<U, T>
  bool try_push(U&& item) {
    const auto tail = core_.tail();
    if (core_.room(tail, 1) == 0 || core_.closed_to_pushes()) return false;
    std::construct_at(slots_.raw(tail), std::forward<U>(item));
    core_.publish_tail(tail + 1);
    return true;
  }

  /// Moves `item` in, and waits for room if there is none. Returns false, and leaves it untouched, if the
  /// ring is closed before that.
  template <class U = T>
    requires std::convertible_to<U, T>
  bool push(U&& item) {
    const auto tail = core_.tail();
    if (core_.room(tail, 1) == 0 || core_.closed_to_pushes()) [[unlikely]] {
      if (!core_.wait_for_room(tail)) return false;
    }
    std::construct_at(slots_.raw(tail), std::forward<U>(item));
    core_.publish_tail(tail + 1);
    return true;
  }

  /// Moves in as many of `items` as fit now, from the first. Returns how many; 0 if the ring is full or
  /// closed.
  std::size_t try_push_some(std::span<T> items) {
    if (core_.closed_to_pushes()) return 0;
    const auto tail = core_.tail();
    const auto count = std::min(core_.room(tail, items.size()), items.size());
    put(tail, items.first(count));
    return count;
  }

  /// Moves all of `items` in, and waits for room as often as it takes. Returns how many are in: fewer than
  /// all only if the ring is closed. The consumer gets them in runs of up to a quarter of the capacity.
  std::size_t push_some(std::span<T> items) {
    std::size_t done = 0;
    while (done < items.size()) {
      const auto tail = core_.tail();
      if (core_.room(tail, 1) == 0 || core_.closed_to_pushes()) {
        if (!core_.wait_for_room(tail)) break;
      }
      const auto count = std::min({core_.room(tail, 1), core_.quarter(), items.size() - done});
      put(tail, items.subspan(done, count));
      done += count;
    }
    return done;
  }

  // Consumer

  /// Moves the oldest item to `out`. Returns false if none waits.
  bool try_pop(T& out)
    requires std::is_move_assignable_v<T>
  {
    const auto head = core_.head();
    if (core_.waiting(head, 1) == 0) return false;
    take_one(head, out);
    return true;
  }

  /// Moves the oldest item to `out`, and waits for it if there is none. Returns false at the end: closed and
  /// drained.
  bool pop(T& out)
    requires std::is_move_assignable_v<T>
  {
    const auto head = core_.head();
    if (core_.used_up(head) && core_.wait_for_items(head, all) == 0) [[unlikely]]
      return false;
    take_one(head, out);
    return true;
  }

  /// Takes a gulp: calls `consume(T&)` on each item that waits, oldest first, in its slot, for at most `max`
  /// of them. Returns how many; 0 if none waits. `consume` may move from the item. If it throws, that item
  /// counts as consumed and the exception passes through.
  template <std::invocable<T&> Consume> std::size_t try_pop_some(Consume&& consume, std::size_t max = all) {
    const auto head = core_.head();
    return drain(head, std::min(core_.waiting(head, max), max), consume);
  }

  /// The same, but waits until there is at least one item. Returns 0 only at the end (or for `max` 0).
  template <std::invocable<T&> Consume> std::size_t pop_some(Consume&& consume, std::size_t max = all) {
    if (max == 0) return 0;
    const auto head = core_.head();
    return drain(head, std::min(core_.wait_for_items(head, max), max), consume);
  }

  // Either side, or anybody else

  /// No more pushes. Wakes the side that waits. Closing twice is closing once.
  void close() noexcept { core_.close(); }
  bool closed() const noexcept { return core_.closed(); }

  /// How many items the ring holds: between 0 and the capacity, and already out of date when it comes back.
  std::size_t size() const noexcept { return core_.size(); }
  bool empty() const noexcept { return size() == 0; }
  std::size_t capacity() const noexcept { return core_.capacity(); }

 private:
  /// Raw memory for a power of two of items, alone on its lines.
  class slots {
   public:
    explicit slots(std::size_t capacity)
        : mask_(std::bit_ceil(capacity) - 1), first_(static_cast<T*>(allocate(mask_ + 1))) {}
    slots(const slots&) = delete;
    slots& operator=(const slots&) = delete;
    ~slots() { ::operator delete(first_, alignment); }

    T* raw(std::size_t at) const noexcept { return first_ + (at & mask_); }
    T* item(std::size_t at) const noexcept { return std::launder(raw(at)); }

    /// Ends the life of an item and takes its line for this core.
    void release(T* item) const noexcept {
      std::destroy_at(item);
      auto* bytes = reinterpret_cast<volatile std::byte*>(item);
      constexpr std::size_t line = 64;
      for (std::size_t i = 0; i < sizeof(T); i += line) bytes[i] = std::byte{};
    }

   private:
    static constexpr std::align_val_t alignment{std::max(cache_line, alignof(T))};

    static void* allocate(std::size_t count) {
      constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 2 / sizeof(T);
      if (count > most) throw std::bad_alloc();
      return ::operator new((count * sizeof(T) + cache_line - 1) / cache_line * cache_line, alignment);
    }

    const std::size_t mask_;
    T* const first_;
  };

  void put(std::size_t tail, std::span<T> items) {
    if (items.empty()) return;
    for (auto& item : items) std::construct_at(slots_.raw(tail++), std::move(item));
    core_.publish_tail(tail);
  }

  void take_one(std::size_t head, T& out) {
    T* const item = slots_.item(head);
    out = std::move(*item);
    slots_.release(item);
    core_.publish_head(head + 1);
  }

  template <class Consume> std::size_t drain(std::size_t head, std::size_t count, Consume& consume) {
    // Counts an item as taken however its consumption ends, and hands the slots back.
    struct taking {
      ring& self;
      std::size_t head;
      T* item = nullptr;
      void finish() noexcept {
        self.slots_.release(item);
        item = nullptr;
        ++head;
      }
      ~taking() {
        if (item) [[unlikely]] {
          finish();
          self.core_.publish_head(head);
        }
      }
    } now{*this, head};
    for (auto left = count; left != 0;) {
      const auto run = std::min(left, core_.quarter());
      for (std::size_t i = 0; i < run; ++i) {
        now.item = slots_.item(now.head);
        consume(*now.item);
        now.finish();
      }
      left -= run;
      core_.publish_head(now.head);
    }
    return count;
  }

  detail::ring_core core_;
  slots slots_;
};

}  // namespace THALWEG_NAMESPACE::pipe
