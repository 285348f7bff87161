#pragma once

#include <thalweg/observe/clock.hpp>

#include <cstdint>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "spb/detail/bytes_of.hpp"
#include "spb/detail/early_end.hpp"
#include "spb/detail/failure.hpp"
#include "spb/detail/feed.hpp"
#include "spb/detail/intake_lock.hpp"
#include "spb/detail/operation.hpp"
#include "spb/detail/recorder.hpp"

namespace spb::detail {

/// Puts what an application's source gives into an item.
template <class Source> struct appending {
  Source next;

  template <class Item> bool operator()(Item& item) {
    auto element = next();
    if (!element) return false;
    item.append(std::move(*element));
    return true;
  }
  bool ready_by(std::int64_t until_ns)
    requires requires { next.ready_by(until_ns); }
  {
    return next.ready_by(until_ns);
  }
  [[nodiscard]] std::int64_t due_ns() const
    requires requires { next.due_ns(); }
  {
    return next.due_ns();
  }
};

/// Where elements come from: `pull(item)` adds the next one to an item; false if there is none. Any number of
/// threads may take items: the elements of an item are neighbours in the stream, and `batch_index` says in
/// which order items were taken.
template <class Item, class Pull> class intake {
 public:
  explicit intake(Pull pull) : pull_(std::move(pull)) {}

  /// Fills an item; false at the end of the stream, or when it has failed.
  bool take(feed& by, Item& item) {
    return guarded(false, [&] {
      item.clear();
      return by.plain() ? take_one(by, item) : take_batch(by, item);
    });
  }

 private:
  bool take_one(const feed& by, Item& item) {
    const auto now = timing() ? thalweg::observe::now_ns() : 0;
    {
      const intake_lock::guard alone(lock_);
      if (!append_next(item)) return false;
      item.batch_index = next_place(by);
      item.timestamp = counted_from(now);
    }
    came(by, item);
    if (now != 0) worked_on(0, item, thalweg::observe::now_ns() - now, 1);
    return true;
  }

  bool take_batch(feed& by, Item& item) {
    const std::lock_guard in_turn(by.lock);
    const bool paced = by.paced();
    const auto bytes = by.most_bytes();
    feed::due_elements due;
    if (paced && bytes == 0) {
      due = by.wait();
      if (due.count == 0) return close_early();
    }
    const auto interval = paced ? 0 : by.interval_ns();
    auto begin = timing() || interval > 0 ? thalweg::observe::now_ns() : 0;
    {
      const intake_lock::guard alone(lock_);
      if (paced && bytes != 0) {
        begin += fill_as_due(by, item, due, bytes);
      } else {
        fill(item, paced ? due.count : by.most(), bytes, interval);
      }
      if (item.empty()) return paced && due.count == 0 ? close_early() : false;
      item.batch_index = next_place(by);
      item.timestamp = paced ? due.first_ns : counted_from(begin);
    }
    came(by, item);
    if (timing()) worked_on(0, item, thalweg::observe::now_ns() - begin, item.size());
    return true;
  }

  // The end of a source that is not asked for more.
  bool close_early() {
    note_early_end([this] {
      const intake_lock::guard alone(lock_);
      Item lost;
      return append_next(lost);
    });
    return false;
  }

  // The place of an item among those of all source objects, so that one order holds for all of them.
  std::uint64_t next_place(const feed& by) {
    return by.source() == 0 ? next_index_++ : items_of_objects.fetch_add(1, std::memory_order_relaxed);
  }

  static void came(const feed& by, Item& item) {
    item.sourceId = static_cast<std::int16_t>(by.source() - 1);
    if constexpr (requires { item.batch_size; }) item.batch_size = static_cast<int>(item.size());
    if constexpr (requires { item.latency_op; }) item.latency_op.clear();
    mine().took(item.size());
  }

  // Elements as they can be had, up to so many, so many bytes (0: any number), and so long after the first
  // (0: however long).
  void fill(Item& item, std::uint64_t most, std::uint64_t most_bytes, std::int64_t interval) {
    std::int64_t until = 0;
    for (std::uint64_t held = 0; item.size() < most && ready_by(until) && append_next(item);) {
      if (most_bytes != 0 && (held += bytes_of(*std::prev(item.end()))) >= most_bytes) return;
      if (interval == 0) continue;
      const auto now = thalweg::observe::now_ns();
      if (until == 0) until = now + interval;
      if (now >= until) return;
    }
  }

  // Whether the next element need not be waited for longer than until a moment (0: however long). Sources
  // that never wait for others do not say.
  bool ready_by(std::int64_t until) {
    if constexpr (requires { pull_.ready_by(until); }) return until == 0 || pull_.ready_by(until);
    return true;
  }

  // How many elements have the bytes is known once they are there, so each is taken when it is due. Elements
  // of an item are neighbours: whoever shares the intake waits meanwhile. Returns the time that passed with
  // waiting.
  std::int64_t fill_as_due(feed& by, Item& item, feed::due_elements& due, std::uint64_t most_bytes) {
    std::int64_t waited = 0;
    for (std::uint64_t held = 0; item.size() < by.most() && held < most_bytes;) {
      const auto begin = timing() ? thalweg::observe::now_ns() : 0;
      if (!by.wait_for_next(due)) break;
      if (begin != 0) waited += thalweg::observe::now_ns() - begin;
      if (!append_next(item)) break;
      held += bytes_of(*std::prev(item.end()));
    }
    if (failed()) item.clear();
    return waited;
  }

  bool append_next(Item& item) {
    if (ended_) return false;
    const bool first = item.empty();
    ended_ = !pull_(item);
    if constexpr (played) {
      if (first && !ended_ && timing()) due_ns_ = pull_.due_ns();
    }
    return !ended_;
  }

  // The moment from which the latency of an item counts that was asked for at another one: where it was
  // played, when its first element was due there.
  [[nodiscard]] std::int64_t counted_from(std::int64_t asked_ns) const {
    if constexpr (played) {
      if (due_ns_ != 0 && timing()) return due_ns_;
    }
    return asked_ns;
  }

  static constexpr bool played = requires(const Pull& pull) { pull.due_ns(); };

  intake_lock lock_;
  Pull pull_;
  bool ended_ = false;
  std::uint64_t next_index_ = 0;
  std::int64_t due_ns_ = 0;  // of the item under way, where it was played
};

}  // namespace spb::detail
