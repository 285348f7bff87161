#pragma once

#include <thalweg/model/function_ref.hpp>
#include <thalweg/pattern/key_table.hpp>
#include <thalweg/pattern/window/agenda.hpp>
#include <thalweg/pattern/window/windowed.hpp>
#include <thalweg/pattern/window/windows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// A result of a window of a key. All that one call gives is in the order of (end, rank), `rank` being the
/// place in the stream of the first item of the window: so results of several sets that share the keys of a
/// stream can be merged into the order of one set with all keys.
template <class K, class R> struct window_result {
  const K& key;
  std::uint64_t rank;
  windowed<R> value;
};
/// A receiver of results, which may move from them.
template <class K, class R> using results_to = function_ref<void(window_result<K, R>&)>;

/// The windows by time of a set of keys. It knows neither stages nor clocks: it is told the time of each
/// item, and how far time has come (the watermark). `Windows` are those of one key: `grid_windows`,
/// `sessions`. Not for several threads at once.
template <class K, class Windows, class Aggregator> class window_set {
 public:
  using result = typename Aggregator::result;
  using rules = typename Windows::rules;
  using taker = results_to<K, result>;

  window_set(rules r, Aggregator by) : rules_(r), by_(std::move(by)) {}

  /// Adds the item of a key, whose place in the stream is `rank`. If it comes late, but not too late,
  /// `emit(window_result)` is called for each window that it changes, in the order of their ends. Returns
  /// false, and leaves the item as it is, if it is too late for all its windows.
  template <class Key, class X>
  bool add(Key&& key, X&& item, std::int64_t time, std::uint64_t rank, taker emit) {
    const auto [at, e] = keys_.find_or_add(std::forward<Key>(key), [](const K&) { return entry{}; });
    const bool in_time =
        e.windows.add(rules_, by_, time, rank, watermark_, std::forward<X>(item),
                      [&, place = at](const opened<typename Windows::kept>& w) { give(place, w, emit); });
    if (!in_time) {
      if (e.windows.empty()) keys_.erase(at);
      return false;
    }
    if (e.windows.next(rules_) < e.timer) schedule(at, e);
    return true;
  }

  /// No more items are expected up to `watermark`, which never goes back: calls `emit(window_result)` for all
  /// windows that end there or before.
  void advance(std::int64_t watermark, taker emit) {
    while (next() <= watermark) {
      if constexpr (one_key) {
        reach_only_key(emit);
      } else {
        timers_.take_next([&](std::int64_t now, const std::vector<id>& keys) { reach(now, keys, emit); });
      }
    }
    watermark_ = watermark;
  }

  /// The end of the stream: all windows end.
  void finish(taker emit) { advance(never - 1, emit); }

  /// The next watermark at which there is something to do; max() if there is none.
  [[nodiscard]] std::int64_t next() const {
    if constexpr (one_key) {
      return keys_.size() == 0 ? never : keys_[0].timer;
    } else {
      return timers_.next();
    }
  }
  /// How many keys have windows that may still change.
  [[nodiscard]] std::size_t keys() const noexcept { return keys_.size(); }

 private:
  static constexpr bool one_key = std::is_same_v<K, no_key>;

  using id = std::uint32_t;
  struct entry {
    std::int64_t timer = never;  // it is in the timers at this time; it has nothing to do before
    Windows windows{};
  };
  struct candidate {
    opened<typename Windows::kept> window;
    id key;
  };

  void schedule(id key, entry& e) {
    e.timer = e.windows.next(rules_);
    if constexpr (!one_key) timers_.put(e.timer, key);
  }

  void give(id key, const opened<typename Windows::kept>& w, taker emit) {
    window_result<K, result> r{keys_.key(key), w.rank, {w.begin, w.end, by_.lower(*w.kept), w.revision}};
    emit(r);
  }

  void reach_only_key(taker emit) {
    entry& e = keys_[0];
    const auto now = std::exchange(e.timer, never);
    if (const auto w = e.windows.opened_at(rules_, by_, now); w.kept != nullptr) give(0, w, emit);
    go_on(0, e, now);
  }
  void go_on(id key, entry& e, std::int64_t now) {
    e.windows.pass(rules_, now);
    if (e.windows.empty()) {
      keys_.erase(key);
    } else {
      schedule(key, e);
    }
  }

  void reach(std::int64_t now, const std::vector<id>& keys, taker emit) {
    open_.clear();
    reached_.clear();
    for (const id key : keys) {
      // It may have been put in at an earlier time since, or be gone.
      if (!keys_.holds(key) || keys_[key].timer != now) continue;
      keys_[key].timer = never;
      reached_.push_back(key);
      if (const auto w = keys_[key].windows.opened_at(rules_, by_, now); w.kept != nullptr)
        open_.push_back({w, key});
    }
    const auto earlier = [](const candidate& a, const candidate& b) { return a.window.rank < b.window.rank; };
    if (!std::is_sorted(open_.begin(), open_.end(), earlier)) std::sort(open_.begin(), open_.end(), earlier);
    for (const auto& c : open_) give(c.key, c.window, emit);
    for (const id key : reached_) go_on(key, keys_[key], now);
  }

  rules rules_;
  Aggregator by_;
  // Before all possible times, but far enough from the end of the numbers to compute with.
  std::int64_t watermark_ = -3 * (std::int64_t{1} << 61);
  key_table<K, entry> keys_;
  agenda<id> timers_;
  std::vector<candidate> open_;
  std::vector<id> reached_;
};

/// The windows by count of a set of keys: each has its own count. All that one call gives is in order: of a
/// key's windows by their beginning, and at the end of the keys by their first appearance. The `rank` of a
/// result is that of the first item of its key.
template <class K, class Aggregator> class count_window_set {
 public:
  using result = typename Aggregator::result;
  using taker = results_to<K, result>;

  count_window_set(std::int64_t size, std::int64_t slide, Aggregator by)
      : size_(size), slide_(slide), slice_(std::gcd(size, slide)), by_(std::move(by)) {}

  template <class Key, class X> void add(Key&& key, X&& item, std::uint64_t rank, taker emit) {
    const auto [id, e] = keys_.find_or_add(std::forward<Key>(key), [&](const K&) {
      return entry{0, size_, rank, {}};
    });
    // Where windows do not overlap, each is one slice.
    const auto slice = slice_ == size_ ? e.full - size_ : slice_ == 1 ? e.seen : e.seen - e.seen % slice_;
    e.parts.add(by_, slice, rank, std::forward<X>(item));
    if (++e.seen < e.full) return;
    give(id, e, e.full - size_, emit);
    e.full += slide_;
    e.parts.drop_before(e.full - size_);
  }

  /// The end of the stream: windows that have begun give their results, even if they are not full.
  void finish(taker emit) {
    for (typename key_table<K, entry>::id id = 0; id < keys_.bound(); ++id) {
      entry& e = keys_[id];
      for (auto begin = e.full - size_; begin < e.seen; begin += slide_) give(id, e, begin, emit);
    }
  }

 private:
  struct entry {
    std::int64_t seen;
    std::int64_t full;    // how many there are when the next window is full
    std::uint64_t first;  // the rank of the key's first item
    slices<Aggregator> parts;
  };

  void give(std::uint32_t id, entry& e, std::int64_t begin, taker emit) {
    const auto end = std::min(e.seen, begin + size_);
    const auto c = e.parts.window(by_, begin, end);
    window_result<K, result> r{keys_.key(id), e.first, {begin, end, by_.lower(*c.kept), 0}};
    emit(r);
  }

  std::int64_t size_, slide_, slice_;
  Aggregator by_;
  key_table<K, entry> keys_;
};

}  // namespace THALWEG_NAMESPACE::model
