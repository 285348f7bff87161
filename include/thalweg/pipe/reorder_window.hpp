#pragma once

// The protocol of the reorder window.
//
// State: a slot has an item and a stamp, the number of that item. `next_` is the number of the item to
//   take next. `draining_` says whether a thread drains.
// Writers: the thread that deposits item n writes its slot, the stamp last. The drainer alone writes
//   `next_`. A thread becomes the drainer, and stops being it, by an exchange of `draining_`.
// Invariant: at most one thread drains. A slot holds an item that has not been taken, or it is free: a
//   thread deposits item n only while n < `next_` + slots. If item `next_` is there, a thread drains, or
//   one that has just deposited or released is about to try.
// Model: docs/protocols/reorder_window.pml.

#include <thalweg/pipe/cache_line.hpp>

#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE::pipe {

/// How far out of order a reorder window's items came, over those taken so far.
struct displacement {
  std::int64_t taken = 0;  ///< items taken out
  std::int64_t total = 0;  ///< sum, over them, of the places they stood ahead of the next one when they came
  std::int64_t most = 0;   ///< the largest of those
};

/// Puts numbered items that many threads finish in any order back into order, without anybody waiting for its
/// turn: a thread deposits its item and goes on; one thread at a time, the drainer, takes out what is next.
///
/// `T` is default-constructible and movable, in practice a handle to a run of items. Sequence numbers start
/// at 0, each is deposited once, and at most `slots()` of them are in the window, so that a slow item pushes
/// back on those who take new work: they ask `has_room(seq)` before they take work number `seq`, not before
/// they deposit it.
///
///     window.deposit(seq, std::move(finished));
///     while (window.try_acquire()) {                   // somebody else drains: it will see the deposit
///       for (T next; window.take(next);) process(next);
///       if (!window.release()) break;                  // true: something came while we were leaving
///     }
///
/// Every thread that deposits must run that loop; then no deposit is stranded. `take` and the processing
/// between takes happen on one thread at a time, each seeing what the one before it did.
///
/// TBB's pipeline has such a buffer in front of each `serial_in_order` filter: who comes too early leaves its
/// item in a ring, by number, and does something else. There a lock guards the ring, which grows, and each
/// item that is through becomes the task of the next. Here slots carry the number of what is in them, as in
/// Vyukov's bounded queue, so that deposits need no lock; the drainer goes on as long as there is something;
/// and a full window pushes back.
template <class T>
  requires std::default_initializable<T> && std::movable<T>
class reorder_window {
 public:
  /// `slots` is a power of two; throws std::invalid_argument otherwise.
  explicit reorder_window(std::size_t slots = 64) : mask_(checked(slots) - 1), slots_(new slot[slots]) {}
  reorder_window(const reorder_window&) = delete;
  reorder_window& operator=(const reorder_window&) = delete;

  std::size_t slots() const noexcept { return mask_ + 1; }

  /// Sequence number of the item to be taken next: all before it have been taken. Any thread.
  std::int64_t next() const noexcept { return next_.load(std::memory_order_acquire); }

  /// Whether `seq` fits. Once true it stays true.
  bool has_room(std::int64_t seq) const noexcept { return distance(next(), seq) < as_signed(slots()); }

  /// Puts item number `seq` in. Any thread; `has_room(seq)` must hold, and each number comes once.
  void deposit(std::int64_t seq, T&& item) noexcept(std::is_nothrow_move_assignable_v<T>) {
    slot& place = at(seq);
    place.ahead = distance(next_.load(std::memory_order_acquire), seq);
    place.item = std::move(item);
    place.stamp.store(seq, std::memory_order_release);
  }

  /// Tries to become the drainer. Call it after every deposit.
  ///
  /// No look before the exchange, as one would do with a lock: together with the one in release() it decides
  /// who is responsible for the deposit. If this exchange comes first, release() sees the deposit; if second,
  /// it succeeds.
  [[nodiscard]] bool try_acquire() noexcept { return !draining_.exchange(true, std::memory_order_acq_rel); }

  /// Drainer only: moves the next item out, or returns false if it has not been deposited yet. The slot is
  /// free at once, so depositors go on while the item is processed.
  bool take(T& out) noexcept(std::is_nothrow_move_assignable_v<T>) {
    const std::int64_t seq = next_.load(std::memory_order_relaxed);
    slot& place = at(seq);
    if (place.stamp.load(std::memory_order_acquire) != seq) return false;
    out = std::move(place.item);
    total_.store(total_.load(std::memory_order_relaxed) + place.ahead, std::memory_order_relaxed);
    if (place.ahead > most_.load(std::memory_order_relaxed))
      most_.store(place.ahead, std::memory_order_relaxed);
    next_.store(following(seq), std::memory_order_release);
    return true;
  }

  /// Drainer only: stops being the drainer. Returns true if the next item is there, deposited meanwhile: then
  /// the caller must try to become the drainer again (somebody else may be faster).
  [[nodiscard]] bool release() noexcept {
    draining_.exchange(false, std::memory_order_acq_rel);
    const std::int64_t seq = next_.load(std::memory_order_acquire);
    return at(seq).stamp.load(std::memory_order_acquire) == seq;
  }

  /// Whether the next item has been deposited. Any thread.
  [[nodiscard]] bool ready() const noexcept {
    const std::int64_t seq = next();
    return at(seq).stamp.load(std::memory_order_acquire) == seq;
  }

  /// How many items are deposited and not taken. Any thread; exact only while nothing moves. Reads all slots.
  std::size_t waiting() const noexcept {
    std::size_t count = 0;
    auto seq = next();
    for (std::size_t i = 0; i < slots(); ++i, seq = following(seq)) {
      count += at(seq).stamp.load(std::memory_order_relaxed) == seq;
    }
    return count;
  }

  /// Statistics so far. Any thread; the three numbers may be some items apart.
  displacement displaced() const noexcept {
    return {next(), total_.load(std::memory_order_relaxed), most_.load(std::memory_order_relaxed)};
  }

 private:
  // One slot on its own lines: neighbouring numbers are worked on by different threads at the same time.
  struct alignas(cache_line) slot {
    std::atomic<std::int64_t> stamp{-1};  // number of the item that lies here, or lay here last
    std::int64_t ahead = 0;
    T item{};
  };

  static std::size_t checked(std::size_t slots) {
    if (!std::has_single_bit(slots))
      throw std::invalid_argument("reorder_window: slots must be a power of two");
    return slots;
  }
  static std::int64_t as_signed(std::size_t n) noexcept { return static_cast<std::int64_t>(n); }
  static std::int64_t distance(std::int64_t from, std::int64_t to) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
  }
  static std::int64_t following(std::int64_t seq) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(seq) + 1);
  }
  slot& at(std::int64_t seq) const noexcept { return slots_[static_cast<std::size_t>(seq) & mask_]; }

  const std::size_t mask_;
  const std::unique_ptr<slot[]> slots_;

  // The drainer's line. Depositors read next_ and then exchange draining_: one line to fetch for both.
  alignas(cache_line) std::atomic<std::int64_t> next_{0};
  std::atomic<bool> draining_{false};
  std::atomic<std::int64_t> total_{0};
  std::atomic<std::int64_t> most_{0};
};

}  // namespace THALWEG_NAMESPACE::pipe
