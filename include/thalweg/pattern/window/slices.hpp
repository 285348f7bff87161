#pragma once

#include <thalweg/pattern/window/aggregate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace thalweg::model {

/// What a window has for those who look at it: an aggregate, and the place in the stream of its first item.
template <class Kept> struct contents {
  std::uint64_t rank = std::numeric_limits<std::uint64_t>::max();
  const Kept* kept = nullptr;
};

/// The items of one key, aggregated over slices of time, and windows over them. An item is combined into its
/// slice (O(1) if it is of the latest one); a window that overlaps the one before it costs amortised O(1)
/// steps per slice, by two stacks: the slices up to some place are aggregated from each one to that place,
/// and what follows it from the place on. Only what comes late makes stacks be built anew. Slices without
/// items take no memory.
///
/// Slices: Li, Maier, Tufte, Papadimos, Tucker, "No Pane, No Gain", SIGMOD Record 34(1), 2005. Two stacks:
/// Tangwongsan, Hirzel, Schneider, "Low-Latency Sliding-Window Aggregation in Worst-Case Constant Time",
/// DEBS 2017.
template <class Aggregator> class slices {
 public:
  using kept = typename Aggregator::kept;

  [[nodiscard]] bool empty() const noexcept { return all_.size() == head_; }
  /// The beginning of the first slice, and of the last.
  [[nodiscard]] std::int64_t first() const { return all_[head_].begin; }
  [[nodiscard]] std::int64_t last() const { return all_.back().begin; }
  /// The beginning of the first slice that begins at `from` or later; none: max().
  [[nodiscard]] std::int64_t first_from(std::int64_t from) const {
    const auto at = place(from);
    return at < all_.size() ? all_[at].begin : std::numeric_limits<std::int64_t>::max();
  }

  template <class X> void add(Aggregator& by, std::int64_t begin, std::uint64_t rank, X&& item) {
    auto at = all_.size();
    if (empty() || last() < begin) {
      all_.push_back({begin, rank, by.begin(std::forward<X>(item))});
      return;
    }
    if (last() == begin) {
      at = all_.size() - 1;
    } else {
      at = place(begin);
      if (all_[at].begin != begin) {
        slice made{begin, rank, by.begin(std::forward<X>(item))};
        all_.insert(all_.begin() + static_cast<std::ptrdiff_t>(at), std::move(made));
        changed(at);
        return;
      }
    }
    by.add(all_[at].all, std::forward<X>(item));
    changed(at);
  }

  /// The slices that begin in [begin, end); `kept` is null if there are none. Valid until the next call.
  contents<kept> window(Aggregator& by, std::int64_t begin, std::int64_t end) {
    const auto from = place(begin);
    const auto to = place(end, from);
    if (from == to) return {};
    if (to - from == 1) return {all_[from].rank, &all_[from].all};
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
    const auto from = place(begin);
    const auto to = place(end, from);
    if (from == to) return {};
    if (to - from == 1) return {all_[from].rank, &all_[from].all};
    if constexpr (Aggregator::joins_copies) return by_hand(by, from, to);
    return {};
  }
  [[nodiscard]] bool has(std::int64_t begin, std::int64_t end) const { return first_from(begin) < end; }

  /// Forgets the slices that begin before `begin`.
  void drop_before(std::int64_t begin) {
    while (!empty() && first() < begin) ++head_;
    if (empty()) {
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

  // The first slice that does not begin before `begin`.
  [[nodiscard]] std::size_t place(std::int64_t begin, std::size_t from = 0) const {
    from = std::max(from, head_);
    if (from < all_.size() && all_[from].begin >= begin) return from;
    if (empty() || last() < begin) return all_.size();
    const auto at = std::lower_bound(all_.begin() + static_cast<std::ptrdiff_t>(from), all_.end(), begin,
                                     [](const slice& s, std::int64_t b) { return s.begin < b; });
    return static_cast<std::size_t>(at - all_.begin());
  }

  // Slice `at` has changed, or been put in before others: what was computed with it is of no use.
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

  std::vector<slice> all_;  // by time; those before head_ are forgotten
  std::size_t head_ = 0;
  std::vector<aggregate> back_;
  std::optional<aggregate> front_;
  std::size_t back_from_ = 0, middle_ = 0, reached_ = 0;
  std::optional<aggregate> result_;
};

}  // namespace thalweg::model
