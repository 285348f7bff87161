// State: the runs that wait, `lent_` (what the sender is filling), the flags `hurry_` and `sender_waits_`.
// Writers: both sides change what waits, under `lock_`. What is lent is stolen and handed over under
//   `lending_`, which comes first. The receiver sets `hurry_`; the sender takes it back, and sets it again if
//   it must.
// Invariant: what is lent is younger than what waits, so it is stolen only if nothing waits. Short runs are
//   joined; of a run that is divided the last part carries the promise (`upto`). A sender without room sets
//   `sender_waits_` and looks again; who takes something out looks at it afterwards.
// Models: docs/protocols/node.pml, docs/protocols/lend.pml, docs/protocols/chunk.pml,
//   docs/protocols/branch_order.pml.
#include "channel.hpp"

#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>

#include "../tuning.hpp"
#include "node.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

channel::channel(const connect_options& opts, std::size_t slots, node* sender, node* receiver,
                 std::size_t port)
    : from(sender),
      to(receiver),
      to_port(port),
      opts_(opts),
      capacity_(opts.capacity != automatic           ? opts.capacity
                : opts.when_full != when_full::block ? items_before_drops
                                                     : 0),
      most_bytes_(opts.bytes != automatic ? opts.bytes : most_waiting_bytes),
      most_chunks_(slots) {}

bool channel::has_room() const noexcept {
  if (in_loop || opts_.when_full != when_full::block || discards_.load(std::memory_order_relaxed))
    return true;
  if (own_)
    return own_left_items_.load(std::memory_order_acquire) <= own_most_left_.load(std::memory_order_relaxed);
  const auto n = opts_.capacity == automatic ? items_.load(std::memory_order_acquire) : unbegun();
  if (n <= 0) return true;
  const auto bytes = bytes_.load(std::memory_order_relaxed);
  const auto most_here = most_bytes_.load(std::memory_order_relaxed);
  // Where the user has named a bound, a whole run must fit below it.
  if (bounds_bytes() && bytes + static_cast<std::int64_t>(run_bytes()) > most_here) return false;
  if (const auto most = capacity_.load(std::memory_order_relaxed); most != 0)
    return n + static_cast<std::int64_t>(batch()) <= most;
  return chunks_.load(std::memory_order_acquire) < most_chunks_.load(std::memory_order_relaxed) &&
         bytes < most_here && !enough_work_waits(n);
}

// What waits is bounded by the receiver's work, too: expensive items pile up to a long latency, and `stop`
// has to wait for them. At least two items for each replica may wait.
bool channel::enough_work_waits(std::int64_t items) const noexcept {
  const auto grown = static_cast<std::int64_t>(grown_.load(std::memory_order_relaxed));
  if (grown == 1 && keeps_one_.load(std::memory_order_relaxed)) return true;
  const auto each = std::max(item_ns(), drain_ns_.load(std::memory_order_relaxed));
  const auto behind = behind_ns_.load(std::memory_order_relaxed);
  const auto most = each == 0 ? most_unmeasured : most_waiting_ns / std::max(each, behind);
  const auto takers = takers_.load(std::memory_order_relaxed);
  if (items >= std::max(most, 2 * takers) * grown) return true;
  // Long runs of cheap items: two of them for each replica.
  const auto runs = static_cast<std::int64_t>(batch_.load(std::memory_order_relaxed)) * 2 * takers;
  return items >= std::max(runs, most_unmeasured) * grown;
}

std::int64_t channel::pace_ns() const noexcept {
  // Nobody waits in front of it, or it had to give way.
  if (in_loop || opts_.when_full != when_full::block || grown_.load(std::memory_order_relaxed) > 1) return 0;
  auto here = item_ns() / takers_.load(std::memory_order_relaxed);
  // Who chooses its inputs takes rarely where it waits for another one: that is no work.
  if (to == nullptr || !to->chooses()) {
    const auto drain = drain_ns_.load(std::memory_order_relaxed);
    here = item_ns() == 0 && drain == 0 ? most_waiting_ns / most_unmeasured : std::max(here, drain);
  }
  return std::max(here, behind_ns_.load(std::memory_order_relaxed));
}

std::size_t channel::room() const noexcept {
  if (in_loop || opts_.when_full != when_full::block) return std::numeric_limits<std::size_t>::max();
  if (!has_room()) return 0;
  if (opts_.capacity == automatic) return batch();
  return static_cast<std::size_t>(
      std::max<std::int64_t>(1, capacity_.load(std::memory_order_relaxed) - unbegun()));
}

// What waits here and what is in hand, of which each replica works on one. What waits is read first: a receiver
// counts what it takes as in hand before it counts it as waiting no more, so nothing is passed over between.
std::int64_t channel::unbegun() const noexcept {
  const auto waiting = items_.load(std::memory_order_acquire);
  const auto in_hand = in_hand_.load(std::memory_order_relaxed) - takers_.load(std::memory_order_relaxed);
  return waiting + std::max<std::int64_t>(0, in_hand);
}

bool channel::ask_for_room() noexcept {
  if (has_room()) return true;
  sender_waits_.store(true);
  return has_room();
}

std::size_t channel::batch() const noexcept {
  auto n = batch_.load(std::memory_order_relaxed);
  // Where it is emptied slowly a run must not be as long as all that may wait.
  const auto each =
      std::max(drain_ns_.load(std::memory_order_relaxed), behind_ns_.load(std::memory_order_relaxed));
  if (each > 0 && grown_.load() == 1)
    n = std::clamp<std::size_t>(static_cast<std::size_t>(most_waiting_ns / 2 / each), 1, n);
  const auto most = capacity_.load(std::memory_order_relaxed);
  return most == 0
             ? n
             : std::clamp<std::size_t>(n, 1, std::max<std::size_t>(1, static_cast<std::size_t>(most) / 2));
}

chunk_ptr channel::spare(const pipe::chunk_base& like) {
  if (spares_.empty()) return like.sibling();
  auto c = std::move(spares_.back());
  spares_.pop_back();
  c->upto = std::numeric_limits<std::int64_t>::min();
  return c;
}

void channel::push(pipe::chunk_base& items) {
  if (discards_.load(std::memory_order_relaxed)) {
    items.clear();
    return;
  }
  if (convert_ && items.item_type() != converted_->item_type()) return push_converted(items);
  if (own_) return push_own(items);
  auto n = items.size();
  const auto bytes = static_cast<std::int64_t>(items.bytes());
  const std::lock_guard hold(lock_);
  if (opts_.when_full != when_full::block) {
    make_room_for(n);
    const auto most = static_cast<std::size_t>(capacity_.load(std::memory_order_relaxed));
    const auto waiting = static_cast<std::size_t>(items_.load(std::memory_order_relaxed));
    if (most != 0 && waiting + n > most) {
      const auto room = most - std::min(most, waiting);
      drop(static_cast<std::int64_t>(n - room));
      auto kept = spare(items);
      // drop_new: the last of the new ones go. drop_old: where even the new ones are too many, the first of
      // these.
      const auto first = opts_.when_full == when_full::drop_old ? n - room : 0;
      items.move_items(first, first + room, *kept);
      items.clear();
      items.swap_items(*kept);
      spares_.push_back(std::move(kept));
      n = room;
    }
  }
  if (n == 0 && !whole) {
    if (!waiting_.empty()) {
      waiting_.back()->upto = std::max(waiting_.back()->upto, items.upto);
      return;
    }
    if (!ranked) return;
  }
  if (n > 0 && !whole && !waiting_.empty() && waiting_.back()->size() + n <= batch() &&
      waiting_.back()->marked() == items.marked()) {
    auto& last = *waiting_.back();
    items.move_items(0, n, last);
    last.upto = std::max(last.upto, items.upto);
    items.clear();
  } else {
    auto c = spare(items);
    c->swap_items(items);
    c->position = items.position;
    c->born_ns = items.born_ns;
    c->upto = items.upto;
    c->seq = items.seq;
    waiting_.push_back(std::move(c));
    chunks_.store(waiting_.size(), std::memory_order_release);
  }
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  pushed_.store(pushed() + static_cast<std::int64_t>(n), std::memory_order_relaxed);
  items_.fetch_add(static_cast<std::int64_t>(n), std::memory_order_release);
}

void channel::push_converted(pipe::chunk_base& items) {
  auto& made = *converted_;
  made.clear();
  made.paced = items.paced;
  made.ranked = items.ranked;
  made.position = items.position;
  made.born_ns = items.born_ns;
  made.upto = items.upto;
  made.seq = items.seq;
  convert_.convert(items, made);
  items.clear();
  push(made);
}

// Drops what has waited longest until `n` more fit, where that is what was asked for.
void channel::make_room_for(std::size_t n) {
  if (opts_.when_full != when_full::drop_old) return;
  const auto most = static_cast<std::size_t>(capacity_.load(std::memory_order_relaxed));
  while (most != 0 && !waiting_.empty()) {
    const auto waiting = static_cast<std::size_t>(items_.load(std::memory_order_relaxed));
    if (waiting + n <= most) return;
    auto& oldest = *waiting_.front();
    const auto before = static_cast<std::int64_t>(oldest.bytes());
    const auto gone = std::min(oldest.size(), waiting + n - most);
    oldest.drop_front(gone);
    drop(static_cast<std::int64_t>(gone));
    items_.fetch_sub(static_cast<std::int64_t>(gone), std::memory_order_relaxed);
    bytes_.fetch_sub(before - static_cast<std::int64_t>(oldest.bytes()), std::memory_order_relaxed);
    if (oldest.empty()) {
      waiting_.pop_front();
      chunks_.store(waiting_.size(), std::memory_order_release);
    }
  }
}

// Negative: what was counted before has come out after all.
void channel::drop(std::int64_t items) noexcept {
  dropped_.fetch_add(static_cast<std::uint64_t>(items), std::memory_order_relaxed);
  if (in_loop) lost_.fetch_add(items, std::memory_order_relaxed);
}

chunk_ptr channel::pop(std::size_t most, chunk_ptr back, bool in_hand) {
  if (back) {
    back->clear();
    back->paced = back->ranked = false;
  }
  if (own_) return pop_own(most, std::move(back));
  if (chunks() == 0 && borrows()) {
    if (auto stolen = steal(most, in_hand)) return stolen;
  }
  const std::lock_guard hold(lock_);
  if (back && spares_.size() < most_spares) spares_.push_back(std::move(back));
  if (waiting_.empty()) return nullptr;
  auto& front = waiting_.front();
  chunk_ptr got;
  if (!whole && front->size() > most + most / 2) {
    got = spare(*front);
    front->move_items(0, most, *got);
    front->drop_front(most);
    got->position = front->position;
    got->born_ns = front->born_ns;
    front->position += static_cast<std::int64_t>(most);
  } else {
    got = std::move(front);
    waiting_.pop_front();
    chunks_.store(waiting_.size(), std::memory_order_release);
  }
  bytes_.fetch_sub(static_cast<std::int64_t>(got->bytes()), std::memory_order_relaxed);
  if (in_hand) in_hand_.fetch_add(static_cast<std::int64_t>(got->size()));
  note_popped(got->size());
  items_.fetch_sub(static_cast<std::int64_t>(got->size()), std::memory_order_release);
  return got;
}

// Under the lock.
void channel::note_popped(std::size_t items) {
  const auto now = observe::now_ns();
  auto each = drain_ns_.load(std::memory_order_relaxed);
  if (popped_ > 0) {
    const auto took = (now - popped_ns_) / static_cast<std::int64_t>(popped_);
    each += (took - each) / 4;
  } else {
    each /= 2;  // nothing was left last time: it is emptied as quickly as it is filled
  }
  drain_ns_.store(each, std::memory_order_relaxed);
  popped_ns_ = now;
  popped_ = waiting_.empty() ? 0 : items;
}

// Of what the sender is filling so many items at most, if nothing older waits. They count as in hand before the
// sender can look.
chunk_ptr channel::steal(std::size_t most, bool in_hand) {
  const std::lock_guard handing_over(lending_);
  auto* const lent = lent_.load(std::memory_order_acquire);
  if (lent == nullptr || lent->empty() || chunks() != 0) return nullptr;
  chunk_ptr stolen;
  {
    const std::lock_guard hold(lock_);
    stolen = spare(*lent);
  }
  (void)lent->steal(*stolen, most);
  stolen->born_ns = lent->born_ns != 0 ? lent->born_ns : observe::now_ns();
  if (in_hand) in_hand_.fetch_add(static_cast<std::int64_t>(stolen->size()), std::memory_order_relaxed);
  return stolen->empty() ? nullptr : std::move(stolen);
}

std::size_t channel::lent_items() noexcept {
  const std::lock_guard handing_over(lending_);
  const auto* const lent = lent_.load(std::memory_order_acquire);
  return lent == nullptr ? 0 : lent->size();
}

void channel::wait_for_room() noexcept {
  sender_sleeps_.store(true);
  const auto seen = taken_.load();
  if (!has_room())
    (void)pipe::futex_wait_until(taken_, seen,
                                 std::chrono::steady_clock::now() + std::chrono::milliseconds(1));
  sender_sleeps_.store(false);
}

bool channel::sender_waits() noexcept {
  if (sender_sleeps_.load()) {
    taken_.fetch_add(1);
    pipe::futex_wake(taken_, 1);
  }
  const bool waits = sender_waits_.load() && has_room() && sender_waits_.exchange(false);
  return waits || tells_each_take_.load(std::memory_order_relaxed);
}

void channel::close() noexcept {
  closed_.store(true, std::memory_order_release);
}

void channel::discard() noexcept {
  const std::lock_guard hold(lock_);
  discards_.store(true, std::memory_order_relaxed);
  waiting_.clear();
  chunks_.store(0, std::memory_order_release);
  items_.store(0, std::memory_order_release);
  bytes_.store(0, std::memory_order_relaxed);
}

void channel::grow() noexcept {
  const auto twice = [](auto& most) {
    const auto before = most.load(std::memory_order_relaxed);
    const auto limit = std::numeric_limits<decltype(before)>::max();
    most.store(before > limit / 2 ? limit : 2 * before, std::memory_order_relaxed);
  };
  twice(capacity_);
  twice(most_bytes_);
  twice(most_chunks_);
  twice(grown_);
  own_most_left_.store(2 * own_most_left_.load(std::memory_order_relaxed) + 64, std::memory_order_relaxed);
}

void channel::push_own(pipe::chunk_base& items) {
  const std::lock_guard hold(lock_);
  const auto n = items.size();
  if (!own_left_) own_left_ = items.sibling();
  items.move_items(0, n, *own_left_);
  items.clear();
  items_.fetch_add(static_cast<std::int64_t>(n), std::memory_order_relaxed);
  own_left_->drop_front(own_->push(*own_left_, 0));
  own_left_items_.store(own_left_->size(), std::memory_order_release);
  own_waiting_.fetch_add(static_cast<std::int64_t>(n), std::memory_order_release);
}

chunk_ptr channel::pop_own(std::size_t most, chunk_ptr back) {
  const std::lock_guard hold(lock_);
  if (!own_left_) return nullptr;
  auto got = back ? std::move(back) : own_left_->sibling();
  most = std::max<std::size_t>(most, 1);
  const auto n = own_->pop(*got, most);
  const auto gone = static_cast<std::int64_t>(n);
  const auto left = static_cast<std::int64_t>(own_left_->size());
  // Once it gives nothing, nothing is in it: what went in and has not come out was dropped by it.
  auto waiting = own_waiting_.load(std::memory_order_relaxed) - gone;
  if (waiting < left || (n < most && waiting > left && !own_->holds_back())) {
    drop(waiting - left);
    waiting = left;
  }
  if (left > 0) own_left_->drop_front(own_->push(*own_left_, 0));
  own_left_items_.store(own_left_->size(), std::memory_order_release);
  items_.store(waiting, std::memory_order_relaxed);
  own_waiting_.store(waiting, std::memory_order_release);
  return n == 0 ? nullptr : std::move(got);
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
