#pragma once

#include <thalweg/model/connect.hpp>
#include <thalweg/model/port.hpp>
#include <thalweg/pipe/cache_line.hpp>
#include <thalweg/pipe/chunk.hpp>
#include <thalweg/pipe/futex.hpp>
#include <thalweg/pipe/spinlock.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail::dataflow {

using chunk_ptr = std::unique_ptr<pipe::chunk_base>;

class node;

/// A channel of the graph: runs of items on their way from an output to an input. One node at a time puts in,
/// and one takes out (of a farm: its replicas, one after the other). What is put in while the receiver is
/// busy is joined with what waits already, up to as much as the receiver takes at once.
class channel final : public model::demand {
 public:
  channel(const connect_options& opts, std::size_t slots, node* from, node* to, std::size_t to_port);
  /// Its items lie in a pipe of the user's own.
  void use(std::unique_ptr<model::own_channel> pipe) noexcept { own_ = std::move(pipe); }
  /// What is put in comes out as items of another type. Not for items that become ours on another rank: they
  /// are converted there.
  void convert_by(const model::conversion& how) {
    convert_ = how;
    if (convert_) converted_ = convert_.make();
  }
  [[nodiscard]] const model::conversion& conversion() const noexcept { return convert_; }

  // The sender.

  /// Whether something may be put in.
  [[nodiscard]] bool has_room() const noexcept;
  /// The same; if not, whoever takes something out will notify the sender.
  [[nodiscard]] bool ask_for_room() noexcept;
  /// How many items to collect before they are put in.
  [[nodiscard]] std::size_t batch() const noexcept;
  /// How many bytes to collect before they are handed over; the item that exceeds them still goes along.
  [[nodiscard]] std::size_t run_bytes() const noexcept {
    return static_cast<std::size_t>(bounds_bytes() ? std::max<std::int64_t>(1, opts_.bytes / 2)
                                                   : most_waiting_bytes);
  }
  /// The user has bounded the bytes that wait in it.
  [[nodiscard]] bool bounds_bytes() const noexcept { return opts_.bytes != automatic; }
  /// Puts the items in, and `from.upto`; `from` is empty then.
  void push(pipe::chunk_base& from);
  /// The sender may stop in the middle of its call: the receiver may take what lies in the chunk that it
  /// fills.
  void lend(pipe::chunk_base* filling) noexcept {
    if (!own_ && !convert_) lent_.store(filling, std::memory_order_release);
  }
  /// The receiver sleeps, on a thread that nobody wakes but the sender: what is lent is to be handed over.
  void hurry(bool now) noexcept { hurry_.store(now, std::memory_order_relaxed); }
  [[nodiscard]] bool hurried() const noexcept { return hurry_.load(std::memory_order_relaxed); }
  [[nodiscard]] const std::atomic<bool>& hurry_flag() const noexcept { return hurry_; }
  /// To be held while a chunk that was lent is handed over.
  [[nodiscard]] pipe::spinlock& lending() noexcept { return lending_; }
  /// Waits until something is taken out, for a millisecond at most.
  void wait_for_room() noexcept;
  /// Its sender waits for room in the middle of a call, and for nothing else inside that.
  void waits_in_call(bool now) noexcept { waits_in_call_.store(now); }
  /// A sender that waits in the middle of a call is about to go on.
  [[nodiscard]] bool goes_on() const noexcept { return waits_in_call_.load() && has_room(); }
  /// No more will come.
  void close() noexcept;
  /// So many replicas take from it.
  void set_takers(std::size_t n) noexcept { takers_.store(static_cast<std::int64_t>(n)); }
  [[nodiscard]] int takers() const noexcept {
    return static_cast<int>(takers_.load(std::memory_order_relaxed));
  }
  /// What waits, divided up among those who take from here at once. C. Polychronopoulos, D. Kuck, Guided
  /// Self-Scheduling (1987).
  [[nodiscard]] std::size_t share_of(int at_once) const noexcept {
    return static_cast<std::size_t>((std::max<std::int64_t>(0, items()) + at_once - 1) / at_once);
  }
  /// So many runs of items may wait in it from now on.
  void set_slots(std::size_t n) noexcept { most_chunks_.store(n); }
  /// One run that waits is enough, unless it had to grow. Any thread.
  void keep_one(bool so) noexcept { keeps_one_.store(so, std::memory_order_relaxed); }
  /// The sender wants to be notified whenever something has been taken. The sender, before it sends.
  void tell_each_take() noexcept { tells_each_take_.store(true, std::memory_order_relaxed); }
  /// A bound that would stop everything for ever gives way.
  void grow() noexcept;
  /// By what factor it has grown.
  [[nodiscard]] std::size_t grown() const noexcept { return grown_.load(std::memory_order_relaxed); }

  // The receiver.

  [[nodiscard]] bool empty() const noexcept {
    if (chunks_.load(std::memory_order_acquire) != 0 || own_waiting_.load(std::memory_order_acquire) != 0)
      return false;
    const auto* lent = lent_.load(std::memory_order_acquire);
    return lent == nullptr || lent->empty();
  }
  /// Whether the sender has lent it a chunk: before the receiver sleeps it has to look once more.
  [[nodiscard]] bool borrows() const noexcept { return lent_.load(std::memory_order_relaxed) != nullptr; }
  /// The sender has to wait when as many items wait as the user has named.
  [[nodiscard]] bool bounds_items() const noexcept {
    return opts_.capacity != automatic && opts_.when_full == when_full::block && !in_loop && !own_;
  }
  /// How many these are, as far as it had to grow.
  [[nodiscard]] std::int64_t capacity() const noexcept { return capacity_.load(std::memory_order_relaxed); }
  /// How many items lie in what is lent. Not while the sender may take it back.
  [[nodiscard]] std::size_t lent_items() noexcept;
  [[nodiscard]] std::size_t chunks() const noexcept { return chunks_.load(std::memory_order_acquire); }
  /// Nothing is in it, and nothing will come.
  [[nodiscard]] bool ended() const noexcept { return closed_.load(std::memory_order_acquire) && empty(); }
  /// Takes out at most about `most` items. Null if there is nothing. `back` is a chunk that is not needed any
  /// more.
  [[nodiscard]] chunk_ptr pop(std::size_t most, chunk_ptr back, bool in_hand = false);
  /// What was taken `in_hand` counts as waiting until it is done.
  void done(std::size_t items) noexcept { in_hand_.fetch_sub(static_cast<std::int64_t>(items)); }
  /// What the receiver can take at once: a run of items worth handing over.
  void set_batch(std::size_t items) noexcept { set_batch(items, items); }
  /// `message`: so many are worth a message from another rank.
  void set_batch(std::size_t items, std::size_t message) noexcept {
    batch_.store(items, std::memory_order_relaxed);
    message_.store(message, std::memory_order_relaxed);
  }
  /// How much work an item is.
  void set_item_ns(double ns) noexcept {
    item_ns_.store(static_cast<std::int64_t>(ns), std::memory_order_relaxed);
  }
  /// How long what becomes of an item has to wait behind the receiver, for each item that it takes.
  void set_behind_ns(double ns) noexcept {
    behind_ns_.store(static_cast<std::int64_t>(ns), std::memory_order_relaxed);
  }
  /// How many items have been put in; of those before `halve_pushed` each counts half.
  [[nodiscard]] std::int64_t pushed() const noexcept { return pushed_.load(std::memory_order_relaxed); }
  void halve_pushed() noexcept { pushed_.store(pushed() / 2, std::memory_order_relaxed); }
  /// From one item to the next, here and behind: a careful guess where the receiver was never timed.
  [[nodiscard]] std::int64_t pace_ns() const noexcept;
  [[nodiscard]] std::size_t message() const noexcept { return message_.load(std::memory_order_relaxed); }
  /// 0: that is not known yet.
  [[nodiscard]] std::int64_t item_ns() const noexcept { return item_ns_.load(std::memory_order_relaxed); }
  /// From now on, what comes is dropped: the receiver wants no more.
  void discard() noexcept;
  /// Whether the sender is to be notified that there is room again. Clears that.
  [[nodiscard]] bool sender_waits() noexcept;

  // Anybody.

  /// Its items lie in a pipe of the user's.
  [[nodiscard]] bool has_own_pipe() const noexcept { return own_ != nullptr; }
  [[nodiscard]] std::int64_t items() const noexcept { return items_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t waiting() const noexcept override { return items(); }
  [[nodiscard]] std::int64_t in_hand() const noexcept override {
    return in_hand_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t room() const noexcept override;
  /// How many items of a loop have been dropped in it since this was asked last: they are in the loop no
  /// more.
  [[nodiscard]] std::int64_t lost() noexcept {
    return lost_.load(std::memory_order_relaxed) == 0 ? 0 : lost_.exchange(0, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  [[nodiscard]] const connect_options& options() const noexcept { return opts_; }

  node* const from;
  node* const to;
  const std::size_t to_port;
  bool in_loop = false;  ///< it holds whatever comes then: the loop as a whole is bounded
  bool ranked = false;   ///< its items have ranks
  /// What is put in comes out as it is, also if it is empty: a run of items with a number.
  bool whole = false;

 private:
  static constexpr std::size_t most_spares = 8;
  static constexpr std::int64_t items_before_drops = 1024;  // where the user has named no capacity
  static constexpr std::int64_t most_waiting_bytes = std::int64_t{8} << 20;

  [[nodiscard]] chunk_ptr spare(const pipe::chunk_base& like);
  void note_popped(std::size_t items);
  [[nodiscard]] std::int64_t unbegun() const noexcept;
  [[nodiscard]] bool enough_work_waits(std::int64_t items) const noexcept;
  void push_converted(pipe::chunk_base& from);
  void push_own(pipe::chunk_base& from);
  [[nodiscard]] chunk_ptr steal(std::size_t most, bool in_hand);
  [[nodiscard]] chunk_ptr pop_own(std::size_t most, chunk_ptr back);
  void make_room_for(std::size_t n);
  void drop(std::int64_t items) noexcept;

  const connect_options opts_;
  std::atomic<std::int64_t> capacity_;  // items; 0: no bound in items
  std::atomic<std::int64_t> most_bytes_;
  std::atomic<std::size_t> most_chunks_;
  std::atomic<std::size_t> grown_{1};  // by what factor, where a bound had to give way
  std::atomic<std::size_t> batch_{1};
  std::atomic<std::size_t> message_{1};
  std::atomic<std::int64_t> item_ns_{0};
  // How long it takes from one item to the next while some wait: more than an item costs where the receiver
  // waits for room itself.
  std::atomic<std::int64_t> drain_ns_{0};
  std::atomic<std::int64_t> behind_ns_{0}, pushed_{0};
  std::int64_t popped_ns_ = 0;  // when, and how many, if others were left; under `lock_`
  std::size_t popped_ = 0;
  std::atomic<bool> closed_{false}, discards_{false}, sender_waits_{false};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::int64_t> lost_{0};
  pipe::futex_word taken_{0};  // how often something was taken while the sender waited in a call
  std::atomic<bool> tells_each_take_{false}, keeps_one_{false};
  std::atomic<bool> sender_sleeps_{false}, waits_in_call_{false}, hurry_{false};
  std::atomic<std::int64_t> takers_{1}, in_hand_{0};
  std::atomic<pipe::chunk_base*> lent_{nullptr};
  pipe::spinlock lending_;  // locked before `lock_`
  model::conversion convert_;
  chunk_ptr converted_;  // of the sender
  std::unique_ptr<model::own_channel> own_;
  std::atomic<std::int64_t> own_waiting_{0};
  std::atomic<std::size_t> own_left_items_{0}, own_most_left_{0};
  chunk_ptr own_left_;  // what the user's pipe had no room for

  alignas(pipe::cache_line) pipe::spinlock lock_;
  std::deque<chunk_ptr> waiting_;
  std::vector<chunk_ptr> spares_;
  std::atomic<std::size_t> chunks_{0};
  std::atomic<std::int64_t> items_{0}, bytes_{0};
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
