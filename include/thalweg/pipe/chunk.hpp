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
#include <thalweg/pipe/printing.hpp>
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

namespace THALWEG_NAMESPACE::pipe {

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

/// What a chunk has to know of its items where it does not know their type. The rest of a chunk is compiled
/// once and not for each type, which took as long as the loops over items.
struct item_kind {
  std::size_t size, alignment;
  const std::type_info* type;
  bool moves_safely;  ///< moving one cannot throw
  /// Constructs `n` items at `to` from those at `from`, which are left moved-from: all, or none if it throws.
  /// The two do not overlap. Null: their bytes are copied.
  void (*move)(void* to, void* from, std::size_t n);
  void (*destroy)(void* at, std::size_t n) noexcept;    ///< null: there is nothing to do
  std::size_t (*bytes)(const void* at, std::size_t n);  ///< null: `size` for each
  std::unique_ptr<class chunk_base> (*make)();          ///< an empty chunk
  printer print;                                        ///< null: there is no text of it
};

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
  /// Whether each item has a rank: it is between a split and an ordered merge.
  bool ranked = false;
  /// Behind this chunk comes no item of a lower rank.
  std::int64_t upto = std::numeric_limits<std::int64_t>::min();

  explicit chunk_base(const item_kind& kind) noexcept : kind_(kind) {}
  chunk_base(const chunk_base&) = delete;
  chunk_base& operator=(const chunk_base&) = delete;
  virtual ~chunk_base();

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
  void clear() noexcept;
  /// What the items hold, by `size_of`.
  [[nodiscard]] std::size_t bytes() const;
  /// The address of item `i`, for routing functions and dead letters.
  [[nodiscard]] const void* at(std::size_t i) const { return place(begin() + i); }
  /// What item `i` holds, by `size_of`.
  [[nodiscard]] std::size_t bytes_of(std::size_t i) const;
  /// Writes item `i` as text, by the code of its type, which may throw. False: there is no text of such
  /// items.
  bool print(std::size_t i, std::ostream& to) const;
  /// Moves items [first, last) to the end of `to`, which has the same item type. They stay here as
  /// moved-from.
  void move_items(std::size_t first, std::size_t last, chunk_base& to);
  /// Moves each item to the end of `parts[who[i]]`, with its mark. They stay here as moved-from.
  void scatter(std::span<const std::unique_ptr<chunk_base>> parts, std::span<const std::uint8_t> who);
  /// Gives the items ranks: `first` + `places[i]`. They keep their due times, if they have any.
  void rank_items(std::int64_t first, std::span<const std::uint32_t> places);
  /// Puts the items of `parts`, which have ranks, behind what is here, in the order of their ranks: those of
  /// rank `first` + i, or `first` + `places[i]` if there are any, are in part `who[i]`. Each gets the mark
  /// `marks[i]`, if there are any.
  void gather(std::span<const std::unique_ptr<chunk_base>> parts, std::span<const std::uint8_t> who,
              std::int64_t first, std::span<const std::uint32_t> places, std::span<const mark> marks);
  /// The same where the ranks are those among the items of their part: the next ones come from `who[i]`.
  void gather(std::span<const std::unique_ptr<chunk_base>> parts, std::span<const std::uint8_t> who,
              std::span<const mark> marks);
  /// The same for ranks of any kind; of equal ones that of the lower part comes first. They get the rank of
  /// what is sent at the end of the stream, unless they are to keep theirs.
  void gather(std::span<const std::unique_ptr<chunk_base>> parts, bool keep_ranks);
  /// Destroys the first `n` items.
  void drop_front(std::size_t n) noexcept;
  /// Gives each of the items [first, last), all of which are marked, the mark `f(its mark)`.
  template <class F> void change_marks(std::size_t first, std::size_t last, F&& f) {
    for (auto i = begin() + first, end = begin() + last; i < end; ++i) marks_[i] = f(marks_[i]);
  }
  /// Exchanges the items with those of `other`, which has the same item type. No thread may steal meanwhile.
  void swap_items(chunk_base& other) noexcept;
  /// Another thread takes what the filling thread has published so far. Returns the number of items taken.
  /// They keep their place in the order of the source, if `to` was empty.
  /// `most`: no more than this many.
  std::size_t steal(chunk_base& to, std::size_t most);
  std::size_t steal(chunk_base& to) { return steal(to, std::numeric_limits<std::size_t>::max()); }
  /// An empty chunk of the same item type.
  [[nodiscard]] std::unique_ptr<chunk_base> sibling() const;
  [[nodiscard]] const std::type_info& item_type() const noexcept { return *kind_.type; }

  /// The filling thread's side of `steal`: everything that decides what belongs to whom happens under this
  /// lock.
  spinlock& filling() noexcept { return filling_; }

 protected:
  [[nodiscard]] std::size_t begin() const noexcept { return begin_.load(std::memory_order_relaxed); }

  // Makes room behind item `n`, under the lock, because a thief may be reading the array. Returns where the
  // next item goes: where most of the array has been stolen, what is left of it moves to the front.
  std::size_t make_room(std::size_t n);
  // To a new array for so many items. A move that throws leaves all items where they were, each to be
  // destroyed once.
  void move_to(std::size_t capacity);

  std::atomic<std::size_t> end_{0};
  std::atomic<std::size_t> begin_{0};
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::unique_ptr<mark[]> marks_;

 private:
  [[nodiscard]] std::byte* place(std::size_t i) const noexcept { return data_ + i * kind_.size; }
  void construct(std::byte* to, std::byte* from, std::size_t n) const;
  void destroy(std::size_t first, std::size_t n) const noexcept;
  void move_down(std::size_t first, std::size_t n);
  void add(chunk_base& from, std::size_t i, const mark* m);
  template <class Rank>
  void gather_by(std::span<const std::unique_ptr<chunk_base>> parts, std::span<const std::uint8_t> who,
                 std::span<const mark> marks, Rank rank_of);

  const item_kind& kind_;
  spinlock filling_;
};

template <item T> std::unique_ptr<chunk_base> make_chunk();

/// That of items of type T.
template <item T>
inline constexpr item_kind kind_of{
    .size = sizeof(T),
    .alignment = alignof(T),
    .type = &typeid(T),
    .moves_safely = std::is_nothrow_move_constructible_v<T>,
    .move = std::is_trivially_copyable_v<T>
                ? nullptr
                : +[](void* to, void* from, std::size_t n) {
                    std::uninitialized_move_n(static_cast<T*>(from), n, static_cast<T*>(to));
                  },
    .destroy = std::is_trivially_destructible_v<T>
                   ? nullptr
                   : +[](void* at, std::size_t n) noexcept { std::destroy_n(static_cast<T*>(at), n); },
    .bytes = has_fixed_size<T> ? nullptr
                               : +[](const void* at, std::size_t n) {
                                   std::size_t sum = 0;
                                   for (const T& x : std::span(static_cast<const T*>(at), n))
                                     sum += thalweg::size_of(x);
                                   return sum;
                                 },
    .make = make_chunk<T>,
    .print = printer_of<T>(),
};

template <item T> class chunk final : public chunk_base {
 public:
  using value_type = T;

  chunk() noexcept : chunk_base(kind_of<T>) {}

  T& operator[](std::size_t i) noexcept { return data()[chunk_base::begin() + i]; }
  T* begin() noexcept { return data() + chunk_base::begin(); }
  T* end() noexcept { return data() + end_.load(std::memory_order_relaxed); }

  /// Adds an item. Returns how many there are with it, as long as no thread steals it.
  template <class... A> THALWEG_INLINE std::size_t emplace(A&&... args) {
    auto n = end_.load(std::memory_order_relaxed);
    if (n == capacity_) [[unlikely]]
      n = make_room(n);
    ::new (static_cast<void*>(data() + n)) T(std::forward<A>(args)...);
    const auto size = n + 1 - chunk_base::begin();
    end_.store(n + 1, std::memory_order_release);
    return size;
  }

  /// Adds items, which are left moved-from, without marks. Returns how many there are with them, as long as
  /// no thread steals them.
  std::size_t append(std::span<T> items) {
    std::size_t size = 0;
    while (!items.empty()) {
      auto n = end_.load(std::memory_order_relaxed);
      if (n == capacity_) [[unlikely]]
        n = make_room(n);
      const auto fit = std::min(items.size(), capacity_ - n);
      std::uninitialized_move_n(items.data(), fit, data() + n);
      size = n + fit - chunk_base::begin();
      end_.store(n + fit, std::memory_order_release);
      items = items.subspan(fit);
    }
    return size;
  }

  /// Adds `count` of the items from `first` on, with `step` from one to the next, which are left moved-from.
  /// Where they have ranks, these are `rank` and so on, with the same step. No thread may steal meanwhile.
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
        ::new (static_cast<void*>(data() + n + i)) T(std::move(first[i * step]));
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

  /// Empties the chunk and makes room for `n` items: those added next stay where they are put. No thread may
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
    return data() + at;
  }

  void clear() noexcept {
    const auto n = end_.load(std::memory_order_relaxed);
    if constexpr (!std::is_trivially_destructible_v<T>) std::destroy(begin(), data() + n);
    begin_.store(0, std::memory_order_relaxed);
    end_.store(0, std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(data_); }
};

template <item T> std::unique_ptr<chunk_base> make_chunk() {
  return std::unique_ptr<chunk_base>(new chunk<T>);
}

}  // namespace THALWEG_NAMESPACE::pipe
