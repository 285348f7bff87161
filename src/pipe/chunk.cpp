#include <thalweg/pipe/chunk.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

namespace THALWEG_NAMESPACE::pipe {

namespace {

struct releaser {
  std::align_val_t alignment;
  void operator()(std::byte* memory) const noexcept { ::operator delete(memory, alignment); }
};

}  // namespace

chunk_base::~chunk_base() {
  clear();
  releaser{std::align_val_t{kind_.alignment}}(data_);
}

void chunk_base::construct(std::byte* to, std::byte* from, std::size_t n) const {
  if (kind_.move != nullptr) return kind_.move(to, from, n);
  if (n > 0) std::memcpy(to, from, n * kind_.size);
}

void chunk_base::destroy(std::size_t first, std::size_t n) const noexcept {
  if (kind_.destroy != nullptr) kind_.destroy(place(first), n);
}

void chunk_base::clear() noexcept {
  destroy(begin(), end_.load(std::memory_order_relaxed) - begin());
  begin_.store(0, std::memory_order_relaxed);
  end_.store(0, std::memory_order_relaxed);
}

std::size_t chunk_base::bytes() const {
  if (kind_.bytes == nullptr) return size() * kind_.size;
  return kind_.bytes(place(begin()), end_.load(std::memory_order_relaxed) - begin());
}

std::size_t chunk_base::bytes_of(std::size_t i) const {
  return kind_.bytes == nullptr ? kind_.size : kind_.bytes(at(i), 1);
}

bool chunk_base::print(std::size_t i, std::ostream& to) const {
  if (kind_.print == nullptr) return false;
  kind_.print(to, at(i));
  return true;
}

void chunk_base::move_items(std::size_t first, std::size_t last, chunk_base& to) {
  to.paced = paced;
  to.ranked = ranked;
  while (first < last) {
    auto n = to.end_.load(std::memory_order_relaxed);
    if (n == to.capacity_ || (marked() && !to.marks_)) n = to.make_room(n);
    const auto fit = kind_.moves_safely ? std::min(last - first, to.capacity_ - n) : 1;
    if (marked()) std::copy_n(marks_.get() + begin() + first, fit, to.marks_.get() + n);
    construct(to.place(n), place(begin() + first), fit);
    to.end_.store(n + fit, std::memory_order_release);
    first += fit;
  }
}

void chunk_base::scatter(std::span<const std::unique_ptr<chunk_base>> parts,
                         std::span<const std::uint8_t> who) {
  for (std::size_t i = 0; i < who.size(); ++i) move_items(i, i + 1, *parts[who[i]]);
}

void chunk_base::rank_items(std::int64_t first, std::span<const std::uint32_t> places) {
  if (!paced) marks_ = std::make_unique<mark[]>(capacity_);
  ranked = true;
  for (std::size_t i = 0; i < places.size(); ++i) marks_[begin() + i].rank = first + places[i];
}

// Adds item `i` of another chunk, with that mark if there is one.
void chunk_base::add(chunk_base& from, std::size_t i, const mark* m) {
  auto n = end_.load(std::memory_order_relaxed);
  if (n == capacity_ || (m != nullptr && !marks_)) n = make_room(n);
  if (m != nullptr && paced) marks_[n].due = m->due;
  if (m != nullptr && ranked) marks_[n].rank = m->rank;
  construct(place(n), from.place(from.begin() + i), 1);
  end_.store(n + 1, std::memory_order_release);
}

// Item i of `who` stands for what has the rank `rank_of(i)` in its part.
template <class Rank>
void chunk_base::gather_by(std::span<const std::unique_ptr<chunk_base>> parts,
                           std::span<const std::uint8_t> who, std::span<const mark> marks, Rank rank_of) {
  std::array<std::size_t, 256> next{};
  for (std::size_t i = 0; i < who.size(); ++i) {
    const auto rank = rank_of(i);
    if (!parts[who[i]]) continue;
    auto& from = *parts[who[i]];
    auto& at = next[who[i]];
    const auto n = from.size();
    for (; at < n && from.mark_of(at).rank == rank; ++at) add(from, at, marks.empty() ? nullptr : &marks[i]);
  }
}

void chunk_base::gather(std::span<const std::unique_ptr<chunk_base>> parts, std::span<const std::uint8_t> who,
                        std::int64_t first, std::span<const std::uint32_t> places,
                        std::span<const mark> marks) {
  if (places.empty()) {
    gather_by(parts, who, marks, [first](std::size_t i) { return first + static_cast<std::int64_t>(i); });
  } else {
    gather_by(parts, who, marks, [&](std::size_t i) { return first + places[i]; });
  }
}

void chunk_base::gather(std::span<const std::unique_ptr<chunk_base>> parts, std::span<const std::uint8_t> who,
                        std::span<const mark> marks) {
  std::array<std::int64_t, 256> turns{};
  gather_by(parts, who, marks, [&](std::size_t i) { return turns[who[i]]++; });
}

void chunk_base::gather(std::span<const std::unique_ptr<chunk_base>> parts, bool keep_ranks) {
  std::array<std::size_t, 256> next{};
  for (;;) {
    std::size_t least = parts.size();
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (!parts[p] || next[p] == parts[p]->size()) continue;
      if (least == parts.size() || parts[p]->mark_of(next[p]).rank < parts[least]->mark_of(next[least]).rank)
        least = p;
    }
    if (least == parts.size()) return;
    auto& from = *parts[least];
    auto m = from.mark_of(next[least]);
    if (!keep_ranks) m.rank = end_rank;
    add(from, next[least], marked() ? &m : nullptr);
    ++next[least];
  }
}

void chunk_base::drop_front(std::size_t n) noexcept {
  destroy(begin(), n);
  begin_.store(begin() + n, std::memory_order_relaxed);
}

void chunk_base::swap_items(chunk_base& other) noexcept {
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

std::size_t chunk_base::steal(chunk_base& to, std::size_t most) {
  const std::lock_guard hold(filling_);
  const auto n = std::min(size(), most);
  if (n == 0) return 0;
  if (to.empty()) to.position = position;
  position += static_cast<std::int64_t>(n);
  move_items(0, n, to);
  destroy(begin(), n);
  begin_.store(begin() + n, std::memory_order_relaxed);
  return n;
}

std::unique_ptr<chunk_base> chunk_base::sibling() const {
  return kind_.make();
}

std::size_t chunk_base::make_room(std::size_t n) {
  const std::lock_guard hold(filling_);
  const auto first = begin();
  const auto live = n - first;
  const bool full = n == capacity_ && (live * 2 > capacity_ || capacity_ == 0);
  if (full || !kind_.moves_safely) {
    move_to(full ? std::max<std::size_t>(16, capacity_ * 2) : capacity_);
  } else {
    move_down(first, live);
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

void chunk_base::move_to(std::size_t capacity) {
  const std::align_val_t alignment{kind_.alignment};
  const auto live = end_.load(std::memory_order_relaxed) - begin();
  std::unique_ptr<std::byte, releaser> bigger(
      static_cast<std::byte*>(::operator new(capacity* kind_.size, alignment)), {alignment});
  construct(bigger.get(), place(begin()), live);
  destroy(begin(), live);
  releaser{alignment}(data_);
  data_ = bigger.release();
  capacity_ = capacity;
}

// To the front of the array. The two may overlap.
void chunk_base::move_down(std::size_t first, std::size_t n) {
  if (first == 0) return;
  if (kind_.move == nullptr) {
    if (n > 0) std::memmove(data_, place(first), n * kind_.size);
    return;
  }
  const auto at_once = first;  // as many as do not overlap
  for (std::size_t i = 0; i < n; i += at_once) {
    const auto some = std::min(at_once, n - i);
    construct(place(i), place(first + i), some);
    destroy(first + i, some);
  }
}

}  // namespace THALWEG_NAMESPACE::pipe
