#pragma once

// The protocol of a chunk: one thread fills it, another steals from it.
//
// State: an array, and two positions: the items lie from `begin_` up to `end_`.
// Writers: the thread that fills the chunk adds items and writes `end_`, without a lock. A thief moves
//   items out and writes `begin_`, under the lock `filling_`. The filling thread takes this lock before
//   it replaces the array or moves items to its front.
// Invariant: what lies between the positions are items. Outside there is raw memory, which the filling
//   thread alone writes. It stores `end_` after the item is there. `clear` takes no lock: at that time no
//   thief can find the chunk.
// Model: docs/protocols/chunk.pml.

#include <thalweg/pipe/inline.hpp>
#include <thalweg/pipe/size_of.hpp>
#include <thalweg/pipe/spinlock.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace thalweg::pipe {

/// An item is anything that can be moved into and out of a chunk.
template <class T>
concept item = std::is_object_v<T> && std::is_move_constructible_v<T> && std::is_destructible_v<T>;

/// The rank of what is sent at the end of a stream: it comes behind all else.
inline constexpr std::int64_t end_rank = std::numeric_limits<std::int64_t>::max() - 1;

/// What travels beside an item where somebody downstream asks for it.
struct mark {
  std::int64_t due = 0;   ///< when the source had to give it: steady clock, ns
  std::int64_t rank = 0;  ///< its place in the order of the split that an ordered merge undoes
};

inline constexpr mark no_mark{};

/// A run of items: what crosses from one thread or process to another. The engine handles chunks without
/// knowing the item type; typed code sees a plain array.
///
/// One thread fills a chunk, and while it does so another may `steal` what is already there: that is what
/// keeps items from waiting in a half-filled chunk while the source blocks. `size()` may be read by any
/// thread.
class chunk_base {
 public:
  /// Its number among the runs of items of its channel, where others restore their order; dense from 0.
  std::int64_t seq = 0;
  /// The place in the order of the source, for telling which of two errors came first.
  std::int64_t position = 0;
  /// When its first item left the source.
  std::int64_t born_ns = 0;
  /// Whether each item has a due time of its own: a paced source is upstream.
  bool paced = false;
  /// Whether each item has a rank: it lies between a split and an ordered merge.
  bool ranked = false;
  /// Behind this chunk comes no item of a lower rank.
  std::int64_t upto = std::numeric_limits<std::int64_t>::min();

  chunk_base() = default;
  chunk_base(const chunk_base&) = delete;
  chunk_base& operator=(const chunk_base&) = delete;
  virtual ~chunk_base() = default;

  [[nodiscard]] std::size_t size() const noexcept {
    // Between the two looks another thread may steal, and the filling thread begin anew.
    const auto first = begin();
    const auto last = end_.load(std::memory_order_acquire);
    return last > first ? last - first : 0;
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] bool marked() const noexcept { return paced || ranked; }
  [[nodiscard]] mark mark_of(std::size_t i) const noexcept { return marked() ? marks_[begin() + i] : mark{}; }
  /// The marks of all items; null where they have none.
  [[nodiscard]] const mark* marks() const noexcept { return marked() ? marks_.get() + begin() : nullptr; }
  [[nodiscard]] std::int64_t due(std::size_t i) const noexcept { return mark_of(i).due; }

  /// Destroys the items; the memory stays for the next run of items.
  virtual void clear() noexcept = 0;
  /// What the items hold, by `size_of`.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// The address of item `i`, for routing functions and dead letters.
  [[nodiscard]] virtual const void* at(std::size_t i) const = 0;
  /// Moves items [first, last) to the end of `to`, which has the same item type. They stay here as
  /// moved-from.
  virtual void move_items(std::size_t first, std::size_t last, chunk_base& to) = 0;
  /// Moves each item to the end of `parts[who[i]]`, with its mark. They stay here as moved-from.
  virtual void scatter(std::span<const std::unique_ptr<chunk_base>> parts,
                       std::span<const std::uint8_t> who) = 0;
  /// Gives the items ranks: `first` + `places[i]`. They keep their due times, if they have any.
  virtual void rank_items(std::int64_t first, std::span<const std::uint32_t> places) = 0;
  /// Puts the items of `parts`, which have ranks, behind what is here, in the order of their ranks: those of
  /// rank `first` + i, or `first` + `places[i]` if there are any, are in part `who[i]`. Each gets the mark
  /// `marks[i]`, if there are any.
  virtual void gather(std::span<const std::unique_ptr<chunk_base>> parts, std::span<const std::uint8_t> who,
                      std::int64_t first, std::span<const std::uint32_t> places,
                      std::span<const mark> marks) = 0;
  /// The same where the ranks are those among the items of their part: the next ones come from `who[i]`.
  virtual void gather(std::span<const std::unique_ptr<chunk_base>> parts, std::span<const std::uint8_t> who,
                      std::span<const mark> marks) = 0;
  /// The same for ranks of any kind; of equal ones that of the lower part comes first. They get the rank of
  /// what is sent at the end of the stream, unless they are to keep theirs.
  virtual void gather(std::span<const std::unique_ptr<chunk_base>> parts, bool keep_ranks) = 0;
  /// Destroys the first `n` items.
  virtual void drop_front(std::size_t n) noexcept = 0;
  /// Gives each of the items [first, last), all of which are marked, the mark `f(its mark)`.
  template <class F> void change_marks(std::size_t first, std::size_t last, F&& f) {
    for (auto i = begin() + first, end = begin() + last; i < end; ++i) marks_[i] = f(marks_[i]);
  }
  /// Exchanges the items with those of `other`, which has the same item type. Nobody may steal meanwhile.
  virtual void swap_items(chunk_base& other) noexcept = 0;
  /// Another thread takes what the filling thread has published so far. Returns the number of items taken.
  /// `most`: no more than so many.
  virtual std::size_t steal(chunk_base& to, std::size_t most) = 0;
  std::size_t steal(chunk_base& to) { return steal(to, std::numeric_limits<std::size_t>::max()); }
  /// An empty chunk of the same item type.
  [[nodiscard]] virtual std::unique_ptr<chunk_base> sibling() const = 0;
  [[nodiscard]] virtual const std::type_info& item_type() const noexcept = 0;

  /// The filling thread's side of `steal`: everything that decides what belongs to whom happens under this
  /// lock.
  spinlock& filling() noexcept { return filling_; }

 protected:
  [[nodiscard]] std::size_t begin() const noexcept { return begin_.load(std::memory_order_relaxed); }

  std::atomic<std::size_t> end_{0};
  std::atomic<std::size_t> begin_{0};
  std::unique_ptr<mark[]> marks_;
  spinlock filling_;
};

template <item T> class chunk final : public chunk_base {
 public:
  using value_type = T;

  chunk() = default;
  ~chunk() override {
    clear();
    release(data_);
  }

  T& operator[](std::size_t i) noexcept { return data_[chunk_base::begin() + i]; }
  T* begin() noexcept { return data_ + chunk_base::begin(); }
  T* end() noexcept { return data_ + end_.load(std::memory_order_relaxed); }

  /// Adds an item. Returns how many there are with it, as long as nobody steals it.
  template <class... A> THALWEG_INLINE std::size_t emplace(A&&... args) {
    auto n = end_.load(std::memory_order_relaxed);
    if (n == capacity_) [[unlikely]]
      n = make_room(n);
    ::new (static_cast<void*>(data_ + n)) T(std::forward<A>(args)...);
    const auto size = n + 1 - chunk_base::begin();
    end_.store(n + 1, std::memory_order_release);
    return size;
  }

  /// Adds items, which are left moved-from, without marks. Returns how many there are with them, as long as
  /// nobody steals them.
  std::size_t append(std::span<T> items) {
    std::size_t size = 0;
    while (!items.empty()) {
      auto n = end_.load(std::memory_order_relaxed);
      if (n == capacity_) [[unlikely]]
        n = make_room(n);
      const auto fit = std::min(items.size(), capacity_ - n);
      std::uninitialized_move_n(items.data(), fit, data_ + n);
      size = n + fit - chunk_base::begin();
      end_.store(n + fit, std::memory_order_release);
      items = items.subspan(fit);
    }
    return size;
  }

  /// Adds `count` of the items from `first` on, with `step` from one to the next, which are left moved-from.
  /// Where they have ranks, these are `rank` and so on, with the same step. Nobody may steal meanwhile.
  void append_every(T* first, std::size_t count, std::size_t step, std::int64_t rank) {
    while (count > 0) {
      auto n = end_.load(std::memory_order_relaxed);
      if (n == capacity_ || (ranked && !marks_)) [[unlikely]]
        n = make_room(n);
      const auto fit = std::min(count, capacity_ - n);
      if (ranked) {
        for (std::size_t i = 0; i < fit; ++i) marks_[n + i].rank = rank + static_cast<std::int64_t>(i * step);
      }
      for (std::size_t i = 0; i < fit; ++i) {
        ::new (static_cast<void*>(data_ + n + i)) T(std::move(first[i * step]));
        if constexpr (!std::is_nothrow_move_constructible_v<T>)
          end_.store(n + i + 1, std::memory_order_relaxed);
      }
      end_.store(n + fit, std::memory_order_release);
      count -= fit;
      first += fit * step;
      rank += static_cast<std::int64_t>(fit * step);
    }
  }

  /// Adds an item with its mark: `paced` or `ranked` must have been set, and no more than that is kept. Each
  /// is stored by itself: a load of both right after a store of one has to wait for the store to be through.
  template <class... A>
  THALWEG_INLINE std::size_t emplace_marked(const std::int64_t& due, const std::int64_t& rank, A&&... args) {
    auto n = end_.load(std::memory_order_relaxed);
    if (n == capacity_ || !marks_) [[unlikely]]
      n = make_room(n);
    if (paced) marks_[n].due = due;
    if (ranked) marks_[n].rank = rank;
    return emplace(std::forward<A>(args)...);
  }
  template <class... A> THALWEG_INLINE std::size_t emplace_marked(const mark& m, A&&... args) {
    return emplace_marked(m.due, m.rank, std::forward<A>(args)...);
  }

  /// Empties the chunk and makes room for `n` items: those added next stay where they are put. Nobody may
  /// steal meanwhile.
  void reserve(std::size_t n) {
    clear();
    if (capacity_ >= n) return;
    move_to(n);
    marks_.reset();
  }
  /// `n` more items, for which room has been reserved and which the caller fills: their address.
  T* extend(std::size_t n) noexcept
    requires std::is_trivially_copyable_v<T>
  {
    const auto at = end_.load(std::memory_order_relaxed);
    end_.store(at + n, std::memory_order_release);
    return data_ + at;
  }

  void clear() noexcept override {
    const auto n = end_.load(std::memory_order_relaxed);
    if constexpr (!std::is_trivially_destructible_v<T>) std::destroy(begin(), data_ + n);
    begin_.store(0, std::memory_order_relaxed);
    end_.store(0, std::memory_order_relaxed);
  }

  [[nodiscard]] std::size_t bytes() const override {
    if constexpr (has_fixed_size<T>) {
      return size() * sizeof(T);
    } else {
      std::size_t sum = 0;
      const auto n = end_.load(std::memory_order_relaxed);
      for (auto i = chunk_base::begin(); i < n; ++i) sum += thalweg::size_of(data_[i]);
      return sum;
    }
  }

  [[nodiscard]] const void* at(std::size_t i) const override { return data_ + chunk_base::begin() + i; }

  void move_items(std::size_t first, std::size_t last, chunk_base& to) override {
    auto& target = static_cast<chunk&>(to);
    target.paced = paced;
    target.ranked = ranked;
    for (std::size_t i = first; i < last; ++i) {
      if (marked()) {
        target.emplace_marked(mark_of(i), std::move((*this)[i]));
      } else {
        target.emplace(std::move((*this)[i]));
      }
    }
  }

  void scatter(std::span<const std::unique_ptr<chunk_base>> parts,
               std::span<const std::uint8_t> who) override {
    for (std::size_t i = 0; i < who.size(); ++i) move_items(i, i + 1, *parts[who[i]]);
  }

  void rank_items(std::int64_t first, std::span<const std::uint32_t> places) override {
    if (!paced) marks_ = std::make_unique<mark[]>(capacity_);
    ranked = true;
    for (std::size_t i = 0; i < places.size(); ++i) marks_[chunk_base::begin() + i].rank = first + places[i];
  }

  void gather(std::span<const std::unique_ptr<chunk_base>> parts, std::span<const std::uint8_t> who,
              std::int64_t first, std::span<const std::uint32_t> places,
              std::span<const mark> marks) override {
    if (places.empty()) {
      gather_by(parts, who, marks, [first](std::size_t i) { return first + static_cast<std::int64_t>(i); });
    } else {
      gather_by(parts, who, marks, [&](std::size_t i) { return first + places[i]; });
    }
  }

  void gather(std::span<const std::unique_ptr<chunk_base>> parts, std::span<const std::uint8_t> who,
              std::span<const mark> marks) override {
    std::array<std::int64_t, 256> turns{};
    gather_by(parts, who, marks, [&](std::size_t i) { return turns[who[i]]++; });
  }

  void gather(std::span<const std::unique_ptr<chunk_base>> parts, bool keep_ranks) override {
    std::array<std::size_t, 256> next{};
    for (;;) {
      std::size_t least = parts.size();
      for (std::size_t p = 0; p < parts.size(); ++p) {
        if (!parts[p] || next[p] == parts[p]->size()) continue;
        if (least == parts.size() ||
            parts[p]->mark_of(next[p]).rank < parts[least]->mark_of(next[least]).rank)
          least = p;
      }
      if (least == parts.size()) return;
      auto& from = static_cast<chunk&>(*parts[least]);
      auto m = from.mark_of(next[least]);
      if (!keep_ranks) m.rank = end_rank;
      if (marked()) {
        emplace_marked(m, std::move(from[next[least]]));
      } else {
        emplace(std::move(from[next[least]]));
      }
      ++next[least];
    }
  }

  void drop_front(std::size_t n) noexcept override {
    if constexpr (!std::is_trivially_destructible_v<T>) std::destroy_n(begin(), n);
    begin_.store(chunk_base::begin() + n, std::memory_order_relaxed);
  }

  void swap_items(chunk_base& with) noexcept override {
    auto& other = static_cast<chunk&>(with);
    const auto exchange = [](std::atomic<std::size_t>& a, std::atomic<std::size_t>& b) {
      a.store(b.exchange(a.load(std::memory_order_relaxed), std::memory_order_relaxed),
              std::memory_order_relaxed);
    };
    exchange(begin_, other.begin_);
    exchange(end_, other.end_);
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(marks_, other.marks_);
    std::swap(paced, other.paced);
    std::swap(ranked, other.ranked);
  }

  using chunk_base::steal;
  std::size_t steal(chunk_base& to, std::size_t most) override {
    const std::lock_guard hold(filling_);
    const auto n = std::min(size(), most);
    if (n == 0) return 0;
    move_items(0, n, to);
    if constexpr (!std::is_trivially_destructible_v<T>) std::destroy_n(begin(), n);
    begin_.store(chunk_base::begin() + n, std::memory_order_relaxed);
    return n;
  }

  [[nodiscard]] std::unique_ptr<chunk_base> sibling() const override { return std::make_unique<chunk>(); }
  [[nodiscard]] const std::type_info& item_type() const noexcept override { return typeid(T); }

 private:
  struct releaser {
    void operator()(T* data) const noexcept { release(data); }
  };
  using array = std::unique_ptr<T, releaser>;  // memory only

  static void release(T* data) noexcept { ::operator delete(data, std::align_val_t{alignof(T)}); }

  // Item i of `who` stands for what has the rank `rank_of(i)` in its part.
  template <class Rank>
  void gather_by(std::span<const std::unique_ptr<chunk_base>> parts, std::span<const std::uint8_t> who,
                 std::span<const mark> marks, Rank rank_of) {
    std::array<std::size_t, 256> next{};
    for (std::size_t i = 0; i < who.size(); ++i) {
      const auto rank = rank_of(i);
      if (!parts[who[i]]) continue;
      auto& from = static_cast<chunk&>(*parts[who[i]]);
      auto& at = next[who[i]];
      const auto n = from.size();
      for (; at < n && from.mark_of(at).rank == rank; ++at) {
        if (marks.empty()) {
          emplace(std::move(from[at]));
        } else {
          emplace_marked(marks[i], std::move(from[at]));
        }
      }
    }
  }

  // Makes room behind item `n`, under the lock, because a thief may be reading the array. Returns where the
  // next item goes: where most of the array has been stolen, what is left of it moves to the front.
  std::size_t make_room(std::size_t n) {
    const std::lock_guard hold(filling_);
    const auto first = chunk_base::begin();
    const auto live = n - first;
    const bool full = n == capacity_ && (live * 2 > capacity_ || capacity_ == 0);
    if (full || !std::is_nothrow_move_constructible_v<T>) {
      move_to(full ? std::max<std::size_t>(16, capacity_ * 2) : capacity_);
    } else {
      move_down(data_ + first, live, data_);
    }
    if (marked()) {
      auto marks = std::make_unique<mark[]>(capacity_);
      if (marks_) std::copy_n(marks_.get() + first, live, marks.get());
      marks_ = std::move(marks);
    } else {
      marks_.reset();
    }
    begin_.store(0, std::memory_order_relaxed);
    end_.store(live, std::memory_order_relaxed);
    return live;
  }

  // To a new array for so many items. A move that throws leaves all items where they were, each to be
  // destroyed once.
  void move_to(std::size_t capacity) {
    const auto live = end_.load(std::memory_order_relaxed) - chunk_base::begin();
    array bigger(static_cast<T*>(::operator new(capacity * sizeof(T), std::align_val_t{alignof(T)})));
    std::uninitialized_move_n(data_ + chunk_base::begin(), live, bigger.get());
    std::destroy_n(data_ + chunk_base::begin(), live);
    release(data_);
    data_ = bigger.release();
    capacity_ = capacity;
  }

  // `to` lies before `from`; the two may overlap.
  static void move_down(T* from, std::size_t n, T* to) {
    if (from == to) return;
    for (std::size_t i = 0; i < n; ++i) {
      ::new (static_cast<void*>(to + i)) T(std::move(from[i]));
      from[i].~T();
    }
  }

  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace thalweg::pipe
