#pragma once

#include <thalweg/pattern/window/agenda.hpp>
#include <thalweg/pattern/window/slices.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// The last of the times `k * step` that is not after `time`.
inline std::int64_t on_grid(std::int64_t time, std::int64_t step) {
  const auto past = time % step;
  return time - (past < 0 ? past + step : past);
}

/// A window that has a result.
template <class Kept> struct opened {
  std::int64_t begin, end;
  std::uint64_t rank;  ///< the place in the stream of its first item
  std::uint32_t revision;
  const Kept* kept;
};

/// The windows of one key on a grid of times: tumbling and sliding ones. `rules` are those of all keys.
///
/// It, and `sessions`, give a window when the watermark reaches its end, and keep it until the watermark is
/// `lateness` further: what is added until then makes a revision. `next()` is the next watermark at which
/// there is something to do: `opened_at(e)` gives the window that ends there, if any; `pass(e)` then goes on.
template <class Aggregator> class grid_windows {
 public:
  using kept = typename Aggregator::kept;
  struct rules {
    std::int64_t size, slide, slice, lateness;
  };

  /// Adds an item, and calls `revised(opened)` for each window that it changes although its result has been
  /// given. Returns false, and leaves the item, if all its windows are gone.
  template <class X, class Revised>
  THALWEG_INLINE bool add(const rules& r, Aggregator& by, std::int64_t time, std::uint64_t rank,
                          std::int64_t watermark, X&& item, Revised&& revised) {
    if (r.lateness == 0 && !slices_.empty() && time >= slices_.last()) {
      // Most items. Not late, since the slice before is not gone; `next_` is not beyond an end of that one.
      const auto ahead = time - slices_.last();
      if (ahead < r.slice) {
        slices_.add_to_last(by, std::forward<X>(item));
      } else {
        slices_.append(by, ahead < 2 * r.slice ? slices_.last() + r.slice : on_grid(time, r.slice), rank,
                       std::forward<X>(item));
      }
      return true;
    }
    return add_anywhere(r, by, time, rank, watermark, std::forward<X>(item), revised);
  }

  [[nodiscard]] bool empty() const noexcept { return slices_.empty(); }
  [[nodiscard]] std::int64_t next(const rules& r) const {
    if (r.lateness == 0 || slices_.empty()) return next_;
    return std::min(next_, last_end(r, slices_.first()) + r.lateness);
  }
  opened<kept> opened_at(const rules& r, Aggregator& by, std::int64_t end) {
    if (next_ != end) return {};
    const auto c = slices_.window(by, end - r.size, end);
    return {end - r.size, end, c.rank, 0, c.kept};
  }
  void pass(const rules& r, std::int64_t now) {
    if (next_ == now) {
      const auto slice = slices_.first_from(now - r.size + r.slide);
      next_ = slice == never ? never : slice < now + r.slide ? now + r.slide : first_end(r, slice);
    }
    if (r.lateness == 0) {
      slices_.drop_before(now - r.size + r.slide);
    } else {
      slices_.drop_before(on_grid(now - r.size - r.lateness, r.slide) + r.slide);
      std::erase_if(revisions_, [&](const auto& v) { return v.first + r.lateness <= now; });
    }
  }

 private:
  template <class X, class Revised>
  bool add_anywhere(const rules& r, Aggregator& by, std::int64_t time, std::uint64_t rank,
                    std::int64_t watermark, X&& item, Revised&& revised) {
    const auto begin = on_grid(time, r.slice);
    const auto first = first_end(r, begin);
    const auto last = last_end(r, begin);
    if (last + r.lateness <= watermark) return false;
    const bool there = slices_.has(begin, begin + r.slice);
    slices_.add(by, begin, rank, std::forward<X>(item));
    if (r.lateness > 0) {
      for (auto end = first; end <= std::min(last, watermark); end += r.slide) {
        if (end + r.lateness <= watermark) continue;
        const bool given = there || slices_.has(end - r.size, begin) || slices_.has(begin + r.slice, end);
        const auto c = slices_.single_window(by, end - r.size, end);
        revised(opened<kept>{end - r.size, end, c.rank, given ? revision(end) : 0, c.kept});
      }
    }
    if (!there && last > watermark) next_ = std::min(next_, std::max(first, end_after(r, watermark)));
    return true;
  }

  // The ends of the windows around the slice at `begin`.
  static std::int64_t first_end(const rules& r, std::int64_t begin) {
    return on_grid(begin - r.size, r.slide) + r.slide + r.size;
  }
  static std::int64_t last_end(const rules& r, std::int64_t begin) {
    return on_grid(begin, r.slide) + r.size;
  }
  static std::int64_t end_after(const rules& r, std::int64_t time) { return first_end(r, time); }

  std::uint32_t revision(std::int64_t end) {
    for (auto& v : revisions_) {
      if (v.first == end) return ++v.second;
    }
    revisions_.emplace_back(end, 1);
    return 1;
  }

  std::int64_t next_ = never;  // the end of the next window that has items
  slices<Aggregator> slices_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> revisions_;
};

/// The sessions of one key: windows that end when nothing has come for `gap`. An item between two joins them.
/// See `grid_windows`.
template <class Aggregator> class sessions {
 public:
  using kept = typename Aggregator::kept;
  struct rules {
    std::int64_t gap, lateness;
  };

  template <class X, class Revised>
  bool add(const rules& r, Aggregator& by, std::int64_t time, std::uint64_t rank, std::int64_t watermark,
           X&& item, Revised&& revised) {
    // They are disjoint and by time; most items belong to the last one.
    auto at = all_.end();
    while (at != all_.begin() && std::prev(at)->last + r.gap > time) --at;
    if (at == all_.end() || at->begin - r.gap >= time) {
      if (time + r.gap + r.lateness <= watermark) return false;
      at = all_.insert(at, {time, time, rank, by.begin(std::forward<X>(item))});
    } else {
      by.add(at->all, std::forward<X>(item));
      at->begin = std::min(at->begin, time);
      at->last = std::max(at->last, time);
      if (const auto behind = std::next(at); behind != all_.end() && behind->begin - at->last < r.gap) {
        by.absorb(at->all, std::move(behind->all));
        at->last = std::max(at->last, behind->last);
        at->rank = std::min(at->rank, behind->rank);
        at->results = std::max(at->results, behind->results);
        all_.erase(behind);
      }
    }
    at->given = at->last + r.gap <= watermark;
    if (at->given) revised(result(r, *at, at->results++));
    return true;
  }

  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] std::int64_t next(const rules& r) const {
    auto when = never;
    for (const auto& s : all_) {
      when = std::min(when, s.last + r.gap + (s.given ? r.lateness : 0));
      if (!s.given) break;
    }
    return when;
  }
  opened<kept> opened_at(const rules& r, Aggregator&, std::int64_t end) {
    const auto at = ending(r, end);
    return at != all_.end() ? result(r, *at, at->results) : opened<kept>{};
  }
  void pass(const rules& r, std::int64_t now) {
    if (const auto at = ending(r, now); at != all_.end()) {
      at->given = true;
      ++at->results;
    }
    std::erase_if(all_, [&](const session& s) { return s.given && s.last + r.gap + r.lateness <= now; });
  }

 private:
  struct session {
    std::int64_t begin, last;
    std::uint64_t rank;
    kept all;
    std::uint32_t results = 0;  // given so far
    bool given = false;         // the last of them holds all items
  };

  auto ending(const rules& r, std::int64_t end) {
    return std::find_if(all_.begin(), all_.end(),
                        [&](const session& s) { return !s.given && s.last + r.gap == end; });
  }
  static opened<kept> result(const rules& r, const session& s, std::uint32_t revision) {
    return {s.begin, s.last + r.gap, s.rank, revision, &s.all};
  }

  std::vector<session> all_;
};

}  // namespace THALWEG_NAMESPACE::model
