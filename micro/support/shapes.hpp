// Programs that are graphs, or that keep something for each key, and the plain loops that say what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../peers/peer.hpp"
#include "program.hpp"

namespace micro {

/// Scatters a number over all 64 bits (splitmix64).
constexpr std::uint64_t scattered(std::uint64_t z) noexcept {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// A sink for items whose order is not given: two runs agree only when the same items came, in any order.
class multiset_sum {
 public:
  void operator()(std::uint64_t value) noexcept { sum_ += scattered(value); }
  std::uint64_t value() const noexcept { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

/// A source of items that were made before the time is taken.
template <class T> class replay {
 public:
  replay(const std::vector<T>& items, std::uint64_t most)
      : next_(items.data()), end_(next_ + std::min<std::uint64_t>(most, items.size())) {}

  std::optional<T> operator()() noexcept {
    if (next_ == end_) return std::nullopt;
    return *next_++;
  }

 private:
  const T* next_;
  const T* end_;
};

// --- shapes ---

constexpr int branches = 8;

/// source -> `branches` branches in turn, each with a map of its own -> merge -> sink. `Sum` says whether the
/// merge keeps the order.
template <class Sum> struct fan_of {
  static constexpr bool ordered = std::is_same_v<Sum, checksum>;
  std::uint64_t items = 0;
  even_work work;
};
using fan_program = fan_of<multiset_sum>;
using ordered_fan_program = fan_of<checksum>;

template <class Sum> contender loop(const fan_of<Sum>& program) {
  return {"loop", "one thread", true, [program] {
            counter source{0, program.items};
            Sum sink;
            run_loop(source, program.work, sink);
            return sink.value();
          }};
}

/// What the two ways of a diamond come together to.
struct pair_up {
  std::uint64_t operator()(std::uint64_t left, std::uint64_t right) const noexcept {
    return (left + 3 * right) | 1;  // never zero, which some peers reserve
  }
};

/// source -> tee -> map(left), map(right) -> join of each pair -> sink, in order.
struct diamond_program {
  std::uint64_t items = 0;
  even_work left;
  even_work right;
};

inline contender loop(const diamond_program& program) {
  return {"loop", "one thread", true, [program] {
            counter source{0, program.items};
            checksum sink;
            const auto both = [&](std::uint64_t x) { return pair_up{}(program.left(x), program.right(x)); };
            run_loop(source, both, sink);
            return sink.value();
          }};
}

// --- keys ---

/// A hash table as one writes it for one program: open addressing, linear probing, at most half full.
template <class State> class open_table {
 public:
  /// The state of a key; made when it is first asked for. Valid until the next call.
  State& operator[](std::uint32_t key) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    auto& slot = find(key);
    if (!slot.used) {
      slot.used = true;
      slot.key = key;
      ++size_;
    }
    return slot.state;
  }

  std::size_t size() const noexcept { return size_; }

  template <class F> void for_each(F&& f) {
    for (auto& slot : slots_) {
      if (slot.used) f(slot.key, slot.state);
    }
  }

 private:
  struct slot {
    State state{};
    std::uint32_t key = 0;
    bool used = false;
  };

  slot& find(std::uint32_t key) {
    const auto mask = slots_.size() - 1;
    auto i = (key * std::uint64_t{0x9e3779b97f4a7c15}) >> 32 & mask;
    while (slots_[i].used && slots_[i].key != key) i = (i + 1) & mask;
    return slots_[i];
  }

  void grow() {
    auto old = std::exchange(slots_, std::vector<slot>(2 * slots_.size()));
    for (auto& s : old) {
      if (s.used) find(s.key) = std::move(s);
    }
  }

  std::vector<slot> slots_ = std::vector<slot>(1024);
  std::size_t size_ = 0;
};

/// Something that happened to a key.
struct event {
  std::uint64_t value = 0;
  std::uint32_t key = 0;
};

/// What is kept for a key. A few nanoseconds an update, and the result depends on all events of the key so
/// far, in their order.
struct account {
  std::uint64_t state = 1;

  std::uint64_t operator()(std::uint64_t value) noexcept {
    state = (state ^ value) * 0xbf58476d1ce4e5b9;
    state ^= state >> 29;
    return state |= 1;  // never zero, which some peers reserve
  }
};

/// source -> an account for each key -> sink: for each event the state of its account, each key's in order.
struct keyed_program {
  std::uint64_t items = 0;
  std::shared_ptr<const std::vector<event>> input;
};

/// Events of `keys` keys of which the k-th is 1/k as frequent as the first (Zipf, exponent 1); which number a
/// key has says nothing of its rank. The same for the same arguments.
std::shared_ptr<const std::vector<event>> zipf_events(std::uint64_t items, std::uint32_t keys);

template <class Table> std::uint64_t run_keyed_loop(const keyed_program& program) {
  replay<event> source{*program.input, program.items};
  Table accounts;
  multiset_sum sink;
  while (const auto e = source()) sink(accounts[e->key](e->value));
  return sink.value();
}

/// The loops: with the standard library's table, and with one of thirty lines.
inline contender loop_of_standard_table(const keyed_program& program) {
  return {"loop, std::unordered_map", "", false,
          [program] { return run_keyed_loop<std::unordered_map<std::uint32_t, account>>(program); }};
}
inline contender loop(const keyed_program& program) {
  return {"loop, open addressing", "", true,
          [program] { return run_keyed_loop<open_table<account>>(program); }};
}

// --- windows ---

/// A value of a key at a time.
struct reading {
  std::int64_t time = 0;
  std::uint64_t value = 0;
  std::uint32_t key = 0;
};

constexpr std::int64_t window_size = 1'000;
constexpr std::int64_t window_slide = 10;

/// Folds the sums of windows, in any order. Windows without readings, which only some report, count nothing.
class window_digest {
 public:
  void operator()(std::uint32_t key, std::int64_t begin, std::uint64_t sum) noexcept {
    if (sum != 0) sum_(scattered(key + 1) ^ 3 * static_cast<std::uint64_t>(begin) ^ scattered(sum));
  }
  std::uint64_t value() const noexcept { return sum_.value(); }

 private:
  multiset_sum sum_;
};

/// source -> sums of sliding windows in event time, for each key -> sink.
struct windows_program {
  std::uint64_t items = 0;
  std::uint32_t keys = 1;
  std::shared_ptr<const std::vector<reading>> input;
};

/// Readings of `keys` keys in turn, in order of time: each key has one at each time from `window_size` on, so
/// a window of a key holds as many readings however many keys there are.
std::shared_ptr<const std::vector<reading>> readings_of(std::uint64_t items, std::uint32_t keys);

/// The sums of a key's sliding windows by two stacks of slices: amortised three additions a slice.
class sliding_sums {
 public:
  /// Adds a reading whose time is not before that of the last; `emit(begin, sum)` gets the windows that it
  /// ends.
  template <class Emit> void add(std::int64_t time, std::uint64_t value, Emit&& emit) {
    const auto slice = time / window_slide;
    if (slice != slice_) {
      if (any_) {
        while (slice_ < slice) close(emit);
      } else {
        slice_ = slice;
        any_ = true;
      }
    }
    open_ += value;
  }

  /// Emits the windows that are still open.
  template <class Emit> void finish(Emit&& emit) {
    for (int i = 0; any_ && i < slices; ++i) close(emit);
  }

 private:
  static constexpr int slices = window_size / window_slide;

  template <class Emit> void close(Emit& emit) {
    if (closed_.size() + older_.size() == slices) evict();
    closed_.push_back(open_);
    newer_ += open_;
    open_ = 0;
    ++slice_;
    emit(slice_ * window_slide - window_size, newer_ + (older_.empty() ? 0 : older_.back()));
  }

  void evict() {
    if (older_.empty()) {
      std::uint64_t sum = 0;
      for (; !closed_.empty(); closed_.pop_back()) older_.push_back(sum += closed_.back());
      newer_ = 0;
    }
    older_.pop_back();
  }

  bool any_ = false;
  std::int64_t slice_ = 0;             // the open one
  std::uint64_t open_ = 0;             // its sum so far
  std::uint64_t newer_ = 0;            // the sum of `closed_`
  std::vector<std::uint64_t> closed_;  // sums of slices
  std::vector<std::uint64_t> older_;   // of older slices: each its sum with all that are newer than it
};

inline contender loop(const windows_program& program) {
  return {"loop", "two stacks", true, [program] {
            replay<reading> source{*program.input, program.items};
            window_digest sink;
            const auto for_key = [&](std::uint32_t key) {
              return [&sink, key](std::int64_t begin, std::uint64_t sum) { sink(key, begin, sum); };
            };
            if (program.keys == 1) {
              sliding_sums sums;
              while (const auto r = source()) sums.add(r->time, r->value, for_key(0));
              sums.finish(for_key(0));
            } else {
              open_table<sliding_sums> sums;
              while (const auto r = source()) sums[r->key].add(r->time, r->value, for_key(r->key));
              sums.for_each([&](std::uint32_t key, sliding_sums& s) { s.finish(for_key(key)); });
            }
            return sink.value();
          }};
}

}  // namespace micro
