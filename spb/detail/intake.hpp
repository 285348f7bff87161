#pragma once

#include <thalweg/observe/clock.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "spb/detail/failure.hpp"
#include "spb/detail/feed.hpp"
#include "spb/detail/intake_lock.hpp"
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
      return by.plain() ? take_one(item) : take_batch(by, item);
    });
  }

 private:
  bool take_one(Item& item) {
    const auto now = timing() ? thalweg::observe::now_ns() : 0;
    {
      const intake_lock::guard alone(lock_);
      if (!append_next(item)) return false;
      item.batch_index = next_index_++;
    }
    item.timestamp = now;
    mine().took(1);
    if (now != 0) mine().worked(0, thalweg::observe::now_ns() - now, 1);
    return true;
  }

  bool take_batch(feed& by, Item& item) {
    const std::lock_guard in_turn(by.lock);
    feed::due_elements due{by.most(), 0};
    const bool paced = by.paced();
    if (paced) {
      due = by.wait();
      if (due.count == 0) return false;
    }
    const auto interval = paced ? 0 : by.interval_ns();
    const auto begin = timing() || interval > 0 ? thalweg::observe::now_ns() : 0;
    {
      const intake_lock::guard alone(lock_);
      while (item.size() < due.count && append_next(item))
        if (interval > 0 && thalweg::observe::now_ns() - begin >= interval) break;
      if (item.empty()) return false;
      item.batch_index = next_index_++;
    }
    item.timestamp = paced ? due.first_ns : begin;
    mine().took(item.size());
    if (timing()) mine().worked(0, thalweg::observe::now_ns() - begin, item.size());
    return true;
  }

  bool append_next(Item& item) {
    if (ended_) return false;
    ended_ = !pull_(item);
    return !ended_;
  }

  intake_lock lock_;
  Pull pull_;
  bool ended_ = false;
  std::uint64_t next_index_ = 0;
};

}  // namespace spb::detail
