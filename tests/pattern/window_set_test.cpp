// The windows of a set of keys, held against a model that keeps everything and looks at all of it.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/scale.hpp"

namespace tw = thalweg;

namespace {

using items = std::vector<int>;

struct out {
  int key;
  std::int64_t begin, end;
  std::uint64_t rank;
  std::uint32_t revision;
  items value;
  bool operator==(const out&) const = default;
  friend void PrintTo(const out& o, std::ostream* to) {
    *to << o.key << " [" << o.begin << ", " << o.end << ") rank " << o.rank << " revision " << o.revision
        << ":";
    for (const int x : o.value) *to << ' ' << x;
  }
};

struct event {
  int key;
  std::int64_t time;
  int value;
};

// Aggregates that show which items are in them, whatever the order.
auto listing() {
  return tw::aggregate([](int x) { return items{x}; },
                       [](items a, const items& b) {
                         a.insert(a.end(), b.begin(), b.end());
                         return a;
                       },
                       [](items all) {
                         std::sort(all.begin(), all.end());
                         return all;
                       });
}
auto whole() {
  return [](std::span<const int> all) {
    items found(all.begin(), all.end());
    std::sort(found.begin(), found.end());
    return found;
  };
}

struct grid_model {
  std::int64_t size, slide, disorder, lateness;
  struct window {
    items all;
    std::uint64_t rank = 0;
    std::uint32_t given = 0;
  };
  std::map<std::pair<int, std::int64_t>, window> windows = {};  // by key and end
  std::int64_t latest = -1'000'000, watermark = -1'000'000;
  std::uint64_t rank = 0;
  int late = 0;
  std::vector<out> seen = {};

  void give(int key, std::int64_t end, window& w) {
    std::sort(w.all.begin(), w.all.end());
    seen.push_back({key, end - size, end, w.rank, w.given++, w.all});
  }
  void advance(std::int64_t to) {
    std::vector<std::tuple<std::int64_t, std::uint64_t, int>> due;
    for (auto& [at, w] : windows) {
      if (at.second > watermark && at.second <= to) due.emplace_back(at.second, w.rank, at.first);
    }
    std::sort(due.begin(), due.end());
    for (const auto& [end, first, key] : due) give(key, end, windows[{key, end}]);
    watermark = to;
  }
  void add(const event& e) {
    if (e.time > latest) {
      latest = e.time;
      advance(latest - disorder);
    }
    bool taken = false;
    const auto number = rank++;
    const auto first = -1000 * slide + size;  // before all ends that matter
    for (auto end = first + (e.time - first) / slide * slide; end - size <= e.time; end += slide) {
      if (end <= e.time || end + lateness <= watermark) continue;
      taken = true;
      auto& w = windows[{e.key, end}];
      if (w.all.empty()) w.rank = number;
      w.all.push_back(e.value);
      if (end <= watermark) give(e.key, end, w);
    }
    late += taken ? 0 : 1;
  }
};

template <class Windows, class Agg>
using set_of = tw::model::window_set<int, Windows, tw::model::aggregator<Agg, int>>;
template <class Agg> using grid = tw::model::grid_windows<tw::model::aggregator<Agg, int>>;
template <class Agg> using sessions = tw::model::sessions<tw::model::aggregator<Agg, int>>;

template <class Set> struct driven {
  Set set;
  std::int64_t disorder;
  std::int64_t latest = std::numeric_limits<std::int64_t>::min();
  std::uint64_t rank = 0;
  int late = 0;
  std::vector<out> seen = {};

  auto collect() {
    return [this](const auto& r) {
      seen.push_back({r.key, r.value.begin, r.value.end, r.rank, r.value.revision, r.value.value});
    };
  }
  void add(const event& e) {
    if (e.time > latest) {
      latest = e.time;
      set.advance(latest - disorder, collect());
    }
    late += set.add(e.key, int(e.value), e.time, rank++, collect()) ? 0 : 1;
  }
  void finish() { set.finish(collect()); }
};

std::vector<event> random_events(std::mt19937& random, int n, int keys, int shake) {
  std::vector<event> all;
  std::int64_t now = -50;
  for (int i = 0; i < n; ++i) {
    now += random() % 8 == 0 ? static_cast<int>(random() % 60) : static_cast<int>(random() % 4);
    all.push_back({static_cast<int>(random() % static_cast<unsigned>(keys)),
                   now - static_cast<int>(random() % static_cast<unsigned>(shake + 1)), i});
  }
  return all;
}

template <class Agg> void compare_grid(Agg agg, unsigned seed) {
  std::mt19937 random(seed);
  for (int round = 0, rounds = scaled(150); round < rounds; ++round) {
    const std::int64_t size = 1 + random() % 40;
    const std::int64_t slide = random() % 2 == 0 ? size : 1 + random() % size;
    const std::int64_t disorder = random() % 3 == 0 ? 0 : random() % 30;
    const std::int64_t lateness = random() % 2 == 0 ? 0 : random() % 40;
    grid_model model{size, slide, disorder, lateness};
    driven<set_of<grid<Agg>, Agg>> real{{{size, slide, std::gcd(size, slide), lateness}, {agg}}, disorder};
    for (const auto& e : random_events(random, 200, 1 + static_cast<int>(random() % 5), round % 60)) {
      model.add(e);
      real.add(e);
    }
    model.advance(1'000'000);
    real.finish();
    ASSERT_EQ(real.seen, model.seen) << size << ' ' << slide << ' ' << disorder << ' ' << lateness;
    ASSERT_EQ(real.late, model.late);
    ASSERT_EQ(real.set.keys(), 0U) << "all windows are over: nothing must be left";
    ASSERT_EQ(real.set.next(), tw::model::never);
  }
}

TEST(WindowSet, GridsOfAggregatesAreThoseOfTheModel) {
  compare_grid(listing(), 1);
}
TEST(WindowSet, GridsOfWholeWindowsAreThoseOfTheModel) {
  compare_grid(whole(), 2);
}

TEST(WindowSet, LongWindowsOfManySlicesInOrderKeepTheOrder) {
  // Aggregates that are not commutative: the stacks must join what follows each other.
  std::mt19937 random(3);
  auto in_order = tw::aggregate([](int x) { return std::to_string(x) + ","; },
                                [](std::string a, const std::string& b) { return a + b; });
  using agg = decltype(in_order);
  using by = tw::model::aggregator<agg, int>;
  for (const std::int64_t size : {7, 64, 100}) {
    tw::model::window_set<int, tw::model::grid_windows<by>, by> set({size, 1, 1, 0}, {in_order});
    std::vector<std::string> seen;
    std::vector<std::string> expected;
    const auto collect = [&](const auto& r) { seen.push_back(r.value.value); };
    std::vector<std::int64_t> times;
    std::int64_t now = 0;
    for (int i = 0; i < 1000; ++i) {
      now += random() % 3;
      times.push_back(now);
      set.advance(now, collect);
      set.add(0, int(i), now, static_cast<std::uint64_t>(i), collect);
    }
    set.finish(collect);
    for (std::int64_t end = 1; end < now + size + 1; ++end) {
      std::string all;
      for (int i = 0; i < 1000; ++i) {
        const auto t = times[static_cast<std::size_t>(i)];
        if (t >= end - size && t < end) all += std::to_string(i) + ",";
      }
      if (!all.empty()) expected.push_back(all);
    }
    ASSERT_EQ(seen, expected) << size;
  }
}

// The sessions of items that are all known.
std::vector<out> sessions_of(const std::vector<event>& all, std::int64_t gap) {
  std::vector<out> found;
  std::map<int, std::vector<std::tuple<std::int64_t, std::uint64_t, int>>> by_key;
  for (std::size_t i = 0; i < all.size(); ++i) by_key[all[i].key].emplace_back(all[i].time, i, all[i].value);
  for (auto& [key, list] : by_key) {
    std::sort(list.begin(), list.end());
    for (const auto& [time, rank, value] : list) {
      if (found.empty() || found.back().key != key || time >= found.back().end)
        found.push_back({key, time, time, rank, 0, {}});
      auto& s = found.back();
      s.end = time + gap;
      s.rank = std::min<std::uint64_t>(s.rank, rank);
      s.value.push_back(value);
    }
  }
  for (auto& s : found) std::sort(s.value.begin(), s.value.end());
  std::sort(found.begin(), found.end(),
            [](const out& a, const out& b) { return std::pair(a.end, a.rank) < std::pair(b.end, b.rank); });
  return found;
}

template <class Agg> void compare_sessions(Agg agg, unsigned seed) {
  std::mt19937 random(seed);
  for (int round = 0, rounds = scaled(150); round < rounds; ++round) {
    const std::int64_t gap = 1 + random() % 30;
    const auto shake = static_cast<int>(random() % 30);
    const auto all = random_events(random, 200, 1 + static_cast<int>(random() % 5), shake);
    driven<set_of<sessions<Agg>, Agg>> real{{{gap, 0}, {agg}}, shake};
    for (const auto& e : all) real.add(e);
    real.finish();
    const auto expected = sessions_of(all, gap);
    ASSERT_EQ(real.seen, expected) << gap << ' ' << shake;
    ASSERT_EQ(real.late, 0);
    ASSERT_EQ(real.set.keys(), 0U);
    // Given too early, and corrected: what was said last is right.
    driven<set_of<sessions<Agg>, Agg>> corrected{{{gap, 1000}, {agg}}, 0};
    for (const auto& e : all) corrected.add(e);
    corrected.finish();
    ASSERT_EQ(corrected.late, 0);
    std::map<std::tuple<int, std::int64_t, std::int64_t>, out> last;
    for (const auto& o : corrected.seen) {
      const auto [at, added] = last.try_emplace({o.key, o.begin, o.end}, o);
      if (!added) {
        ASSERT_LT(at->second.revision, o.revision);
      }
      at->second = o;
    }
    for (const auto& s : expected) {
      const auto at = last.find({s.key, s.begin, s.end});
      ASSERT_NE(at, last.end());
      ASSERT_EQ(at->second.value, s.value);
      ASSERT_EQ(at->second.rank, s.rank);
    }
  }
}

TEST(WindowSet, SessionsOfAggregatesAreThoseOfTheModel) {
  compare_sessions(listing(), 4);
}
TEST(WindowSet, SessionsOfWholeWindowsAreThoseOfTheModel) {
  compare_sessions(whole(), 5);
}

TEST(WindowSet, ASessionEndsWhenForItsGapNothingCame) {
  driven<set_of<sessions<decltype(whole())>, decltype(whole())>> real{{{10, 0}, {whole()}}, 0};
  for (const auto& e : {event{1, 0, 1}, event{1, 9, 2}, event{1, 19, 3}}) real.add(e);
  real.finish();
  EXPECT_EQ(real.seen, (std::vector<out>{{1, 0, 19, 0, 0, {1, 2}}, {1, 19, 29, 2, 0, {3}}}));
}

TEST(WindowSet, LateItemsJoinSessionsThatWereGiven) {
  driven<set_of<sessions<decltype(listing())>, decltype(listing())>> real{{{10, 100}, {listing()}}, 0};
  for (const auto& e : {event{1, 0, 1}, event{1, 15, 2}, event{2, 60, 3}, event{1, 7, 4}}) real.add(e);
  EXPECT_EQ(real.seen,
            (std::vector<out>{{1, 0, 10, 0, 0, {1}}, {1, 15, 25, 1, 0, {2}}, {1, 0, 25, 0, 1, {1, 2, 4}}}));
}

TEST(WindowSet, SetsThatShareTheKeysGiveWhatOneWithAllOfThemGives) {
  std::mt19937 random(6);
  using agg = decltype(listing());
  const tw::model::grid_windows<tw::model::aggregator<agg, int>>::rules rules{20, 5, 5, 15};
  driven<set_of<grid<agg>, agg>> all{{rules, {listing()}}, 3};
  std::vector<set_of<grid<agg>, agg>> parts;
  for (int i = 0; i < 3; ++i) parts.push_back({rules, {listing()}});
  std::vector<out> merged;
  auto latest = std::numeric_limits<std::int64_t>::min();
  std::uint64_t rank = 0;
  std::vector<out> step;
  const auto collect = [&](const auto& r) {
    step.push_back({r.key, r.value.begin, r.value.end, r.rank, r.value.revision, r.value.value});
  };
  const auto flush = [&] {
    std::sort(step.begin(), step.end(),
              [](const out& a, const out& b) { return std::pair(a.end, a.rank) < std::pair(b.end, b.rank); });
    merged.insert(merged.end(), step.begin(), step.end());
    step.clear();
  };
  for (const auto& e : random_events(random, 2000, 20, 25)) {
    all.add(e);
    if (e.time > latest) {
      latest = e.time;
      for (auto& p : parts) p.advance(latest - 3, collect);
      flush();
    }
    parts[static_cast<std::size_t>(e.key % 3)].add(e.key, int(e.value), e.time, rank++, collect);
    flush();
  }
  all.finish();
  for (auto& p : parts) p.finish(collect);
  flush();
  EXPECT_EQ(merged, all.seen);
}

template <class Agg> void compare_count(Agg agg, unsigned seed) {
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const std::int64_t size = 1 + random() % 30;
    const std::int64_t slide = random() % 2 == 0 ? size : 1 + random() % size;
    const int keys = 1 + static_cast<int>(random() % 4);
    tw::model::count_window_set<int, tw::model::aggregator<Agg, int>> set(size, slide, {agg});
    std::vector<out> seen;
    std::vector<out> expected;
    const auto collect = [&](const auto& r) {
      seen.push_back({r.key, r.value.begin, r.value.end, 0, r.value.revision, r.value.value});
    };
    std::map<int, items> lists;
    std::vector<int> order;
    const auto expect = [&](int key, std::int64_t begin, std::int64_t end) {
      const auto& all = lists[key];
      expected.push_back({key, begin, end, 0, 0, items(all.begin() + begin, all.begin() + end)});
    };
    for (int i = 0; i < 150; ++i) {
      const int key = static_cast<int>(random() % static_cast<unsigned>(keys));
      set.add(key, int(i), static_cast<std::uint64_t>(i), collect);
      auto& list = lists[key];
      if (list.empty()) order.push_back(key);
      list.push_back(i);
      const auto n = static_cast<std::int64_t>(list.size());
      if (n >= size && (n - size) % slide == 0) expect(key, n - size, n);
    }
    set.finish(collect);
    for (const int key : order) {
      const auto n = static_cast<std::int64_t>(lists[key].size());
      for (std::int64_t begin = 0; begin < n; begin += slide) {
        if (begin + size > n) expect(key, begin, n);
      }
    }
    ASSERT_EQ(seen, expected) << size << ' ' << slide;
  }
}

TEST(WindowSet, CountsOfAggregatesAreThoseOfTheModel) {
  compare_count(listing(), 8);
}
TEST(WindowSet, CountsOfWholeWindowsAreThoseOfTheModel) {
  compare_count(whole(), 9);
}

TEST(WindowSet, ASlidingWindowTakesAFewCombinationsPerItem) {
  std::int64_t combined = 0;
  auto sum = tw::aggregate([](int x) { return x; },
                           [&](int a, int b) {
                             ++combined;
                             return a + b;
                           });
  tw::model::count_window_set<int, tw::model::aggregator<decltype(sum), int>> set(1000, 1, {sum});
  std::int64_t last = 0;
  for (int i = 0; i < 20'000; ++i)
    set.add(0, int(i), static_cast<std::uint64_t>(i), [&](const auto& r) { last = r.value.value; });
  EXPECT_EQ(last, (19'999 + 19'000) * 1000 / 2);
  EXPECT_LT(combined, 20'000 * 4);
}

TEST(WindowSet, MoveOnlyItemsNeedNotBeCopiedUnlessWindowsOverlap) {
  auto count = [](std::span<const std::unique_ptr<int>> all) { return static_cast<int>(all.size()); };
  using by = tw::model::aggregator<decltype(count), std::unique_ptr<int>>;
  static_assert(!by::joins_copies);
  tw::model::window_set<int, tw::model::sessions<by>, by> set({10, 0}, {count});
  std::vector<int> seen;
  const auto collect = [&](const auto& r) { seen.push_back(r.value.value); };
  set.add(0, std::make_unique<int>(1), 0, 0, collect);
  set.add(0, std::make_unique<int>(1), 15, 1, collect);
  set.add(0, std::make_unique<int>(1), 7, 2, collect);
  set.finish(collect);
  EXPECT_EQ(seen, std::vector{3});
}

}  // namespace
