// The protocol stands in ring.hpp; docs/protocols/ring.pml models it.
#include <thalweg/pipe/pause.hpp>
#include <thalweg/pipe/ring.hpp>

#include <chrono>
#include <stdexcept>
#include <utility>

namespace THALWEG_NAMESPACE::pipe::detail {

namespace {

// A pause is 5 to 60 ns; a breath of sixteen lets a fast producer write a few lines undisturbed.
constexpr int pauses_per_breath = 16;
constexpr int most_breaths = 4;
// A producer that writes fewer items than this during a breath is slower than what looking at it costs.
constexpr std::size_t items_worth_a_breath = 16;
// After a breath in vain: gulps before the next attempt.
constexpr unsigned patience = 32;

// How long a thread takes from wake-up to work, and its waker to return from the system call.
constexpr std::chrono::microseconds time_to_get_up{10};
// A spin in vain makes the next waits sleep at once: 1 of them, then 3, 7 and 15.
constexpr unsigned most_vain_spins = 4;

// A producer that sleeps is woken when a quarter is free, not by every slot, or a slow consumer would pay for
// a wake-up per item. It also wakes on its own after this time, because a consumer may wait for something
// else with less than a quarter free, and must not then stop a producer that has room.
constexpr std::chrono::milliseconds first_nap{1};
constexpr std::chrono::milliseconds longest_nap{64};

std::size_t checked(std::size_t capacity) {
  if (capacity == 0) throw std::invalid_argument("ring: the capacity must be at least 1");
  if (capacity > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
  return capacity;
}

void pause(int times) noexcept {
  for (int i = 0; i < times; ++i) cpu_pause();
}

}  // namespace

/// Waits as the policy says before sleeping. Returns true if `ready()`, false if it is time to sleep. Looks
/// once in `pauses`.
template <class Ready> bool ring_core::spin(side& self, int pauses, Ready&& ready) noexcept {
  const auto look = [&] {
    if (ready()) return true;
    pause(pauses - 1);
    return false;
  };
  if (how_ == wait::park) return ready();
  if (how_ == wait::spin) {
    while (!look()) cpu_pause();
    return true;
  }
  // Who has just woken the other waits longer than usual: that one is on its way. Otherwise two fast threads
  // that have once fallen asleep go on waking each other up in turns.
  const auto limit = std::exchange(self.has_woken_other, false) ? time_to_get_up : spin_time;
  if (self.spins_to_skip > 0) {
    --self.spins_to_skip;
    return look();
  }
  if (spin_until(look, limit, pauses_per_breath / pauses)) {
    self.vain_spins = 0;
    return true;
  }
  // The other has no core, or nothing to give for long: spinning only takes time from somebody. Try again
  // later.
  self.vain_spins = std::min(self.vain_spins + 1, most_vain_spins);
  self.spins_to_skip = (1u << self.vain_spins) - 1;
  return false;
}

ring_core::ring_core(std::size_t capacity, wait how)
    : capacity_(checked(capacity)), quarter_(std::max<std::size_t>(1, capacity / 4)), how_(how) {}

void ring_core::close() noexcept {
  signals_.fetch_or(closed_bit, std::memory_order_acq_rel);
  futex_wake_all(signals_);
}

void ring_core::wake(std::uint32_t sleeper, side& waker) noexcept {
  if (signals_.fetch_and(~sleeper, std::memory_order_acq_rel) & sleeper) {
    futex_wake_all(signals_);
    waker.has_woken_other = true;
  }
}

void ring_core::wake_consumer() noexcept {
  wake(consumer_sleeps, producer_);
}

void ring_core::wake_producer(std::size_t head) noexcept {
  const auto held = tail_.load(std::memory_order_relaxed) - head;
  if (capacity_ - held >= quarter_) wake(producer_sleeps, consumer_);
}

bool ring_core::wait_for_room(std::size_t tail) noexcept {
  const auto room = [&] {
    head_seen_ = head_.load(std::memory_order_acquire);
    return tail - head_seen_ != capacity_;
  };
  // Closed comes first: a closed ring takes nothing, room or not.
  const auto ready = [&] { return closed() || room(); };
  // The consumer of a full ring has much to do: looking rarely disturbs it less and finds more room.
  const int pauses = static_cast<int>(std::clamp<std::size_t>(capacity_ / 64, 1, pauses_per_breath));
  std::chrono::steady_clock::duration nap = first_nap;
  while (!spin(producer_, pauses, ready)) {
    const auto seen = signals_.fetch_or(producer_sleeps, std::memory_order_relaxed) | producer_sleeps;
    heavy_fence();
    if (!ready()) {
      futex_wait_until(signals_, seen, std::chrono::steady_clock::now() + nap);
      nap = std::min<std::chrono::steady_clock::duration>(2 * nap, longest_nap);
    }
    signals_.fetch_and(~producer_sleeps, std::memory_order_relaxed);
  }
  return !closed();
}

bool ring_core::wait_for_first(std::size_t head) noexcept {
  const auto ready = [&] { return tail_.load(std::memory_order_acquire) != head || closed(); };
  while (!spin(consumer_, 1, ready)) {
    const auto seen = signals_.fetch_or(consumer_sleeps, std::memory_order_relaxed) | consumer_sleeps;
    heavy_fence();
    if (!ready()) futex_wait(signals_, seen);
    signals_.fetch_and(~consumer_sleeps, std::memory_order_relaxed);
  }
  // Once closed, look again: what was pushed before the close is there now, and the end must not overtake it.
  return tail_.load(std::memory_order_acquire) != head;
}

void ring_core::breathe(std::size_t head, std::size_t wanted) noexcept {
  const auto enough = std::min(wanted, quarter_);
  for (int i = 0; i < most_breaths && tail_seen_ - head < enough; ++i) {
    pause(pauses_per_breath);
    const auto before = tail_seen_;
    tail_seen_ = tail_.load(std::memory_order_acquire);
    if (tail_seen_ - before < items_worth_a_breath) {
      breaths_to_skip_ = patience;
      return;
    }
  }
}

std::size_t ring_core::wait_for_items(std::size_t head, std::size_t wanted) noexcept {
  if (waiting(head, wanted) == 0) {
    if (!wait_for_first(head)) return 0;
    tail_seen_ = tail_.load(std::memory_order_acquire);
  }
  // One item at a time comes from a slow producer, and then nobody should wait for more.
  if (last_gulp_ > 1 && tail_seen_ - head < wanted) {
    if (breaths_to_skip_ == 0) {
      breathe(head, wanted);
    } else {
      --breaths_to_skip_;
    }
  }
  return last_gulp_ = tail_seen_ - head;
}

}  // namespace THALWEG_NAMESPACE::pipe::detail
