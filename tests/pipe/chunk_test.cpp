// What becomes of the items of a chunk when one of them cannot be moved.
#include <thalweg/pipe/chunk.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace pipe = thalweg::pipe;

// Knows all of its kind that live, by their places. The move that is told to throws.
struct fragile {
  static inline std::set<const fragile*> living;
  static inline int faults = 0;  // born where one lived already, or dead where none did
  static inline int moves_until_throw = -1;

  int value;

  explicit fragile(int v) : value(v) { born(); }
  // NOLINTNEXTLINE(performance-noexcept-move-constructor): that it throws is what this is about.
  fragile(fragile&& other) : value(other.value) {
    if (moves_until_throw-- == 0) throw std::runtime_error("cannot be moved");
    other.value = -1;
    born();
  }
  fragile& operator=(fragile&&) = delete;
  ~fragile() { faults += living.erase(this) == 1 ? 0 : 1; }

 private:
  void born() { faults += living.insert(this).second ? 0 : 1; }
};

using chunk = pipe::chunk<fragile>;

// Whether `f` throws if, from now on, the move after `moves` others does.
template <class F> bool breaks_after(int moves, F&& f) {
  fragile::moves_until_throw = moves;
  bool thrown = false;
  try {
    f();
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  fragile::moves_until_throw = -1;
  return thrown;
}

void fill(chunk& c, int n) {
  for (int i = 0; i < n; ++i) c.emplace(i);
}

class FragileItems : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(fragile::faults, 0);
    EXPECT_TRUE(fragile::living.empty());
    fragile::living.clear();
    fragile::faults = 0;
  }
};

TEST_F(FragileItems, EachIsDestroyedOnceWhenGrowthFails) {
  int failures = 0;
  for (int n = 0; n <= 40; ++n) {
    for (int k = 0; k < n; ++k) {
      chunk c;
      fill(c, n);
      const bool thrown = breaks_after(k, [&] { c.emplace(n); });
      failures += thrown ? 1 : 0;
      ASSERT_EQ(c.size(), static_cast<std::size_t>(thrown ? n : n + 1)) << n << " items, move " << k;
      ASSERT_EQ(fragile::living.size(), c.size()) << n << " items, move " << k;
      fill(c, 3);  // it can still be used
      ASSERT_EQ(fragile::living.size(), c.size());
      ASSERT_EQ(c[c.size() - 1].value, 2);
      c.clear();
      ASSERT_TRUE(fragile::living.empty());
      ASSERT_EQ(fragile::faults, 0) << n << " items, move " << k;
    }
  }
  EXPECT_GT(failures, 0) << "it never grew";
}

TEST_F(FragileItems, EachIsDestroyedOnceWhenGrowthWithDueTimesFails) {
  int failures = 0;
  for (int n = 1; n <= 40; ++n) {
    for (int k = 0; k < n; ++k) {
      chunk c;
      c.paced = true;
      for (int i = 0; i < n; ++i) c.emplace_marked({.due = 10 * i}, i);
      const bool thrown = breaks_after(k, [&] { c.emplace_marked({.due = 10 * n}, n); });
      failures += thrown ? 1 : 0;
      ASSERT_EQ(c.size(), static_cast<std::size_t>(thrown ? n : n + 1)) << n << " items, move " << k;
      ASSERT_EQ(fragile::living.size(), c.size()) << n << " items, move " << k;
      for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c.due(i), 10 * static_cast<std::int64_t>(i));
    }
    ASSERT_EQ(fragile::faults, 0) << n << " items";
  }
  EXPECT_GT(failures, 0) << "it never grew";
}

TEST_F(FragileItems, EachIsDestroyedOnceWhenRoomIsMadeWhereOthersWereStolen) {
  int failures = 0;
  for (int stolen = 1; stolen <= 16; ++stolen) {
    for (int k = 0; k < 20; ++k) {
      chunk c;
      chunk thief;
      fill(c, stolen);
      ASSERT_EQ(c.steal(thief), static_cast<std::size_t>(stolen));
      std::size_t held = 0;
      bool thrown = false;
      for (int i = 0; i < 20 && !thrown; ++i) {
        // Only the move number k of those that one new item needs.
        thrown = breaks_after(k, [&] { c.emplace(i); });
        if (!thrown) ++held;
        ASSERT_EQ(c.size(), held) << stolen << " stolen, move " << k;
        ASSERT_EQ(fragile::living.size(), c.size() + thief.size()) << stolen << " stolen, move " << k;
      }
      failures += thrown ? 1 : 0;
    }
    ASSERT_EQ(fragile::faults, 0) << stolen << " stolen";
  }
  EXPECT_GT(failures, 0) << "nothing was moved";
}

TEST_F(FragileItems, AreAppendedAllOrAsFarAsThereWasRoom) {
  int failures = 0;
  for (const int before : {0, 3, 16}) {
    for (const int n : {1, 5, 16, 40}) {
      for (int k = 0; k < n + 60; ++k) {
        chunk from;
        chunk to;
        fill(to, before);
        fill(from, n);
        const bool thrown = breaks_after(k, [&] { to.append({from.begin(), from.size()}); });
        failures += thrown ? 1 : 0;
        ASSERT_EQ(fragile::living.size(), from.size() + to.size()) << n << " items, move " << k;
        if (thrown) continue;
        ASSERT_EQ(to.size(), static_cast<std::size_t>(before + n));
        for (std::size_t i = 0; i < to.size(); ++i) {
          const auto place = static_cast<int>(i);
          ASSERT_EQ(to[i].value, place < before ? place : place - before);
        }
      }
      ASSERT_EQ(fragile::faults, 0) << n << " items";
    }
  }
  EXPECT_GT(failures, 0) << "nothing was moved";
}

TEST_F(FragileItems, EachIsDestroyedOnceWhenAThiefFails) {
  int failures = 0;
  for (const int before : {0, 3, 16}) {
    for (const int n : {1, 5, 16, 40}) {
      for (int k = 0; k < n + 40; ++k) {
        chunk from;
        chunk to;
        fill(to, before);
        fill(from, n);
        const bool thrown = breaks_after(k, [&] { from.steal(to); });
        failures += thrown ? 1 : 0;
        ASSERT_EQ(fragile::living.size(), from.size() + to.size()) << n << " items, move " << k;
        if (!thrown) {
          ASSERT_TRUE(from.empty());
          ASSERT_EQ(to.size(), static_cast<std::size_t>(before + n));
        }
        from.clear();
        ASSERT_EQ(fragile::living.size(), to.size()) << n << " items, move " << k;
      }
      ASSERT_EQ(fragile::faults, 0) << n << " items to " << before;
    }
  }
  EXPECT_GT(failures, 0);
}

// --- items that are dealt out ---

// Item 3, 3 + 4, 3 + 8 ... of a hundred, with room for sixteen at first.
TEST(EveryNth, IsAppendedInOrderWithItsRank) {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  for (const bool ranked : {false, true}) {
    pipe::chunk<int> c;
    c.ranked = ranked;
    c.append_every(items.data() + 3, 24, 4, 1003);
    ASSERT_EQ(c.size(), 24);
    for (int k = 0; k < 24; ++k) {
      EXPECT_EQ(c[static_cast<std::size_t>(k)], 3 + 4 * k);
      EXPECT_EQ(c.mark_of(static_cast<std::size_t>(k)).rank, ranked ? 1003 + 4 * k : 0);
    }
  }
}

TEST_F(FragileItems, AppendedWithAStepAreEachDestroyedOnce) {
  for (int k = 0; k < 10; ++k) {
    chunk from;
    chunk to;
    fill(from, 40);
    EXPECT_TRUE(breaks_after(k, [&] { to.append_every(from.begin(), 20, 2, 0); }));
    EXPECT_EQ(to.size(), static_cast<std::size_t>(k));
  }
}

// A mark is kept as far as the chunk is said to have it.
TEST(Marks, AreKeptOneByOne) {
  for (const bool paced : {false, true}) {
    for (const bool ranked : {false, true}) {
      if (!paced && !ranked) continue;
      pipe::chunk<int> c;
      c.paced = paced;
      c.ranked = ranked;
      for (int i = 0; i < 40; ++i) c.emplace_marked({.due = 10 + i, .rank = 100 + i}, i);
      for (int i = 0; i < 40; ++i) {
        const auto m = c.mark_of(static_cast<std::size_t>(i));
        EXPECT_EQ(m.due, paced ? 10 + i : 0);
        EXPECT_EQ(m.rank, ranked ? 100 + i : 0);
      }
    }
  }
}

// A thief takes the first ones, and leaves the others where they are.
TEST(Stealing, TakesAsManyAsItIsTold) {
  pipe::chunk<int> from;
  for (int i = 0; i < 10; ++i) from.emplace(i);
  from.position = 100;
  pipe::chunk<int> some, rest;
  EXPECT_EQ(from.steal(some, 4), 4);
  EXPECT_EQ(from.size(), 6);
  from.emplace(10);
  EXPECT_EQ(from.steal(rest), 7);
  EXPECT_EQ(some.position, 100);
  EXPECT_EQ(rest.position, 104);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(some[static_cast<std::size_t>(i)], i);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(rest[static_cast<std::size_t>(i)], 4 + i);
}

}  // namespace
