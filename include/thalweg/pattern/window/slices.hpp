#pragma once

#include <thalweg/pattern/window/aggregate.hpp>
#include <thalweg/pipe/inline.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// The content of a window: an aggregate, and the place in the stream of its first item.
template <class Kept> struct contents {
  std::uint64_t rank = std::numeric_limits<std::uint64_t>::max();
  const Kept* kept = nullptr;
};

/// The items of one key, aggregated over slices of time, and windows over them. An item is combined into its
/// slice (O(1) if it is of the latest one); a window that overlaps the one before it costs amortised O(1)
/// steps per slice, by two stacks: the slices up to some place are aggregated from each one to that place,
/// and the following ones from that place on. Only late items cause the stacks to be rebuilt. Slices without
/// items take no memory.
///
/// Slices: Li, Maier, Tufte, Papadimos, Tucker, "No Pane, No Gain", SIGMOD Record 34(1), 2005. Two stacks:
/// Tangwongsan, Hirzel, Schneider, "Low-Latency Sliding-Window Aggregation in Worst-Case Constant Time",
/// DEBS 2017.
template <class Aggregator> class slices {
 public:
  using kept = typename Aggregator::kept;

  [[nodiscard]] bool empty() const noexcept { return !newest_ && all_.size() == head_; }
  /// The beginning of the first slice, and of the last.
  [[nodiscard]] std::int64_t first() const {
    return head_ < all_.size() ? all_[head_].begin : newest_->begin;
  }
  [[nodiscard]] std::int64_t last() const { return newest_ ? newest_->begin : all_.back().begin; }
  /// The beginning of the first slice that begins at `from` or later; none: max().
  [[nodiscard]] std::int64_t first_from(std::int64_t from) const {
    if (const auto at = place(from); at < all_.size()) return all_[at].begin;
    if (newest_ && newest_->begin >= from) return newest_->begin;
    return std::numeric_limits<std::int64_t>::max();
  }

  template <class X> void add(Aggregator& by, std::int64_t begin, std::uint64_t rank, X&& item) {
    if (empty() || last() < begin) return append(by, begin, rank, std::forward<X>(item));
    if (last() == begin) return add_to_last(by, std::forward<X>(item));
    const auto at = place(begin);
    if (at == all_.size() || all_[at].begin != begin) {
      slice made{begin, rank, by.begin(std::forward<X>(item))};
      all_.insert(all_.begin() + static_cast<std::ptrdiff_t>(at), std::move(made));
    } else {
      by.add(all_[at].all, std::forward<X>(item));
    }
    changed(at);
  }
  /// The same for a slice after the last.
  template <class X> void append(Aggregator& by, std::int64_t begin, std::uint64_t rank, X&& item) {
    slice made{begin, rank, by.begin(std::forward<X>(item))};
    settle();
    newest_.emplace(std::move(made));
  }
  /// The same for the last slice.
  template <class X> THALWEG_INLINE void add_to_last(Aggregator& by, X&& item) {
    if (newest_) [[likely]] {
      by.add(newest_->all, std::forward<X>(item));
    } else {
      by.add(all_.back().all, std::forward<X>(item));
      changed(all_.size() - 1);
    }
  }

  /// The slices that begin in [begin, end); `kept` is null if there are none. Valid until the next call.
  contents<kept> window(Aggregator& by, std::int64_t begin, std::int64_t end) {
    const auto [from, to] = places(begin, end);
    if (to - from < 2) return one(from, to, begin, end);
    if constexpr (!Aggregator::joins_copies) {
      return {};  // such a job is refused before it runs
    } else if constexpr (Aggregator::incremental) {
      return by_stacks(by, from, to);
    } else {
      return by_hand(by, from, to);
    }
  }
  /// The same for windows that do not follow each other.
  contents<kept> single_window(Aggregator& by, std::int64_t begin, std::int64_t end) {
    const auto [from, to] = places(begin, end);
    if (to - from < 2) return one(from, to, begin, end);
    if constexpr (Aggregator::joins_copies) return by_hand(by, from, to);
    return {};
  }
  [[nodiscard]] bool has(std::int64_t begin, std::int64_t end) const { return first_from(begin) < end; }

  /// Forgets the slices that begin before `begin`.
  void drop_before(std::int64_t begin) {
    while (head_ < all_.size() && all_[head_].begin < begin) ++head_;
    if (head_ == all_.size()) {
      if (newest_ && newest_->begin < begin) newest_.reset();
      all_.clear();
      head_ = 0;
      back_.clear();
      middle_ = reached_ = 0;
      front_.reset();
    } else if (head_ >= 16 && 2 * head_ >= all_.size()) {
      for (; back_from_ < head_ && !back_.empty(); ++back_from_) back_.pop_back();
      all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(head_));
      middle_ -= std::min(middle_, head_);
      reached_ -= std::min(reached_, head_);
      back_from_ -= std::min(back_from_, head_);
      head_ = 0;
    }
  }

 private:
  struct slice {
    std::int64_t begin;
    std::uint64_t rank;
    kept all;
  };
  struct aggregate {
    std::uint64_t rank;
    kept all;
  };

  // The newest slice goes to the others.
  void settle() {
    if (!newest_) return;
    all_.push_back(std::move(*newest_));
    newest_.reset();
  }

  // Those of [begin, end), the newest among them unless it is alone.
  std::pair<std::size_t, std::size_t> places(std::int64_t begin, std::int64_t end) {
    const auto from = place(begin);
    if (from < all_.size() && newest_ && newest_->begin < end) settle();
    return {from, place(end, from)};
  }
  contents<kept> one(std::size_t from, std::size_t to, std::int64_t begin, std::int64_t end) const {
    if (from < to) return {all_[from].rank, &all_[from].all};
    if (newest_ && begin <= newest_->begin && newest_->begin < end) return {newest_->rank, &newest_->all};
    return {};
  }

  // The first slice that does not begin before `begin`, of all but the newest.
  [[nodiscard]] std::size_t place(std::int64_t begin, std::size_t from = 0) const {
    from = std::max(from, head_);
    // Consecutive windows look for the next slice, and for the end.
    for (auto near = from; near < all_.size() && near < from + 2; ++near) {
      if (all_[near].begin >= begin) return near;
    }
    if (from >= all_.size() || all_.back().begin < begin) return all_.size();
    const auto at = std::lower_bound(all_.begin() + static_cast<std::ptrdiff_t>(from), all_.end(), begin,
                                     [](const slice& s, std::int64_t b) { return s.begin < b; });
    return static_cast<std::size_t>(at - all_.begin());
  }

  // Slice `at` has changed, or was inserted before others: what was computed with it is invalid.
  void changed(std::size_t at) {
    if (at < reached_) {
      middle_ = reached_ = 0;
      back_.clear();
      front_.reset();
    }
  }

  contents<kept> by_hand(Aggregator& by, std::size_t from, std::size_t to) {
    aggregate sum{all_[from].rank, all_[from].all};
    for (auto i = from + 1; i < to; ++i) {
      sum.rank = std::min(sum.rank, all_[i].rank);
      by.join(sum.all, all_[i].all);
    }
    return keep(std::move(sum));
  }

  // back_ holds, from its end, the aggregates of [i, middle_) for i = back_from_ and up; front_ is that of
  // [middle_, reached_).
  contents<kept> by_stacks(Aggregator& by, std::size_t from, std::size_t to) {
    if (from >= middle_ || from < back_from_ || reached_ > to) build(by, from, to);
    for (; reached_ < to; ++reached_) {
      const auto& next = all_[reached_];
      if (front_) {
        front_->rank = std::min(front_->rank, next.rank);
        by.join(front_->all, next.all);
      } else {
        front_.emplace(aggregate{next.rank, next.all});
      }
    }
    while (back_from_ < from) {
      back_.pop_back();
      ++back_from_;
    }
    const auto& back = back_.back();
    if (!front_) return {back.rank, &back.all};
    return keep({std::min(back.rank, front_->rank), by.joined(back.all, front_->all)});
  }

  void build(Aggregator& by, std::size_t from, std::size_t to) {
    back_.clear();
    front_.reset();
    back_.reserve(to - from);
    for (auto i = to; i-- > from;) {
      if (back_.empty()) {
        back_.push_back({all_[i].rank, all_[i].all});
      } else {
        const auto& behind = back_.back();
        aggregate next{std::min(all_[i].rank, behind.rank), by.joined(all_[i].all, behind.all)};
        back_.push_back(std::move(next));
      }
    }
    back_from_ = from;
    middle_ = reached_ = to;
  }

  contents<kept> keep(aggregate sum) {
    result_.emplace(std::move(sum));
    return {result_->rank, &result_->all};
  }

  // Separate from the others, so that most items touch only this memory.
  std::optional<slice> newest_;
  std::vector<slice> all_;  // by time; those before head_ are forgotten
  std::size_t head_ = 0;
  std::vector<aggregate> back_;
  std::optional<aggregate> front_;
  std::size_t back_from_ = 0, middle_ = 0, reached_ = 0;
  std::optional<aggregate> result_;
};

}  // namespace THALWEG_NAMESPACE::model
