#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/stages.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"
#include "support/scale.hpp"
#include "support/work.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using namespace graphs;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class OrderedMerge : public under_every_policy {};
FOR_EVERY_POLICY(OrderedMerge);

using numbers = std::vector<int>;

// What a branch does to an item, as a stage and as a function.
struct branch_kind {
  std::function<tw::any_pipeline<int, int>()> line;
  std::function<numbers(int)> meaning;
};

std::vector<branch_kind> kinds() {
  return {
      {[] { return tw::map([](int x) { return x + 1; }); }, [](int x) { return numbers{x + 1}; }},
      {[] { return tw::filter([](int x) { return x % 3 == 0; }); },
       [](int x) { return x % 3 == 0 ? numbers{x} : numbers{}; }},
      {[] {
         return tw::flat_map([](int x, tw::emitter<int>& out) {
           for (int i = 0; i < x % 4; ++i) out.send(10 * x + i);
         });
       },
       [](int x) {
         numbers all;
         for (int i = 0; i < x % 4; ++i) all.push_back(10 * x + i);
         return all;
       }},
      {[] { return tw::farm([](int x) { return -x; }, {.replicas = 3}); }, [](int x) { return numbers{-x}; }},
      {[] {
         return tw::farm(tw::filter([](int x) { return x % 2 == 0; }) | tw::map([](int x) { return 2 * x; }),
                         {.replicas = 2});
       },
       [](int x) { return x % 2 == 0 ? numbers{2 * x} : numbers{}; }},
      {[] { return tw::filter([](int) { return false; }); }, [](int) { return numbers{}; }},
  };
}

TEST_P(OrderedMerge, RestoresTheOrderOfASplitWhateverTheBranchesDo) {
  std::mt19937 random(11);
  const auto all = kinds();
  for (int round = 0; round < 12; ++round) {
    const int n = static_cast<int>(random() % 3'000);
    const auto branches = 1 + random() % 4;
    std::vector<const branch_kind*> chosen;
    for (std::size_t b = 0; b < branches; ++b) chosen.push_back(&all[random() % all.size()]);
    std::vector<int> seen;
    tw::graph g;
    auto& s = g.add<tw::split<int>>(random() % 2 == 0 ? tw::round_robin
                                                      : tw::by_key<int>([](const int& x) { return x / 5; }));
    auto& m = g.add<tw::merge<int>>(tw::ordered);
    g.connect(g.add(tw::source(std::views::iota(0, n))).out, s.in);
    for (const auto* k : chosen) {
      auto line = g.add(k->line());
      g.connect(s.branch(), line.in);
      g.connect(line.out, m.input(), {.capacity = static_cast<std::int64_t>(1 + random() % 50)});
    }
    g.connect(m.out, g.add(tw::sink(seen)).in);
    tw::run(g, policy());
    // Compared as a sequence with the sequential run, which has one order only.
    auto parallel = seen;
    seen.clear();
    tw::run(g, tw::sequential{});
    ASSERT_EQ(parallel, seen) << "round " << round;
  }
}

TEST_P(OrderedMerge, OfASplitInTurnIsWhatOneAfterTheOtherWouldGive) {
  const auto all = kinds();
  std::vector<int> seen;
  std::vector<int> expected;
  tw::graph g;
  auto& s = g.add<tw::split<int>>();
  auto& m = g.add<tw::merge<int>>(tw::ordered);
  g.connect(g.add(tw::source(std::views::iota(0, 6'000))).out, s.in);
  for (const auto& k : all) {
    auto line = g.add(k.line());
    g.connect(s.branch(), line.in);
    g.connect(line.out, m.input());
  }
  g.connect(m.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  for (int x = 0; x < 6'000; ++x) {
    for (const int y : all[static_cast<std::size_t>(x) % all.size()].meaning(x)) expected.push_back(y);
  }
  EXPECT_EQ(seen, expected);
}

struct fork : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<int> a{this, "a"}, b{this, "b"};
  void on_item(tw::in<int>&, int x) {
    a.send(10 * x);
    if (x % 3 == 0) b.send(10 * x + 1);
  }
};

// Of one item, what comes in at the lower input is first, though others of its branch come later.
TEST_P(OrderedMerge, OfABranchThatForksGoesByTheInputs) {
  std::vector<int> seen;
  std::vector<int> expected;
  tw::graph g;
  auto& s = g.add<tw::split<int>>(tw::where<int>([](const int& x) { return x % 4 == 1; }));
  auto& f = g.add<fork>();
  auto& m = g.add<tw::merge<int>>(tw::ordered);
  g.connect(g.add(tw::source(std::views::iota(0, 3'000))).out, s.in);
  g.connect(s.branch(1), f.in);
  g.connect(f.b, m.input());
  g.connect(f.a, m.input());
  g.connect(s.branch(0), m.input());
  g.connect(m.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  for (int x = 0; x < 3'000; ++x) {
    if (x % 4 == 1) {
      expected.push_back(x);
      continue;
    }
    if (x % 3 == 0) expected.push_back(10 * x + 1);
    expected.push_back(10 * x);
  }
  EXPECT_EQ(seen, expected);
}

struct relay : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<int> out{this, "out"};
  void on_item(tw::in<int>&, int x) { out.send(x); }
};

// What has come to its end before the first branch's last stage says nothing of that stage's end hook.
TEST_P(OrderedMerge, WhatEndHooksSendComesInTheOrderOfTheInputs) {
  for (int round = 0; round < scaled(100); ++round) {
    std::vector<int> seen;
    tw::graph g;
    auto& s = g.add<tw::split<int>>();
    auto& m = g.add<tw::merge<int>>(tw::ordered);
    auto& before = g.add<relay>();
    auto first = g.add(tw::reduce(0, std::plus<int>{}));
    auto second = g.add(tw::reduce(1'000, std::plus<int>{}));
    g.connect(g.add(tw::source(std::views::iota(0, 10))).out, s.in);
    g.connect(s.branch(), before.in);
    g.connect(before.out, first.in);
    g.connect(first.out, m.input());
    g.connect(s.branch(), second.in);
    g.connect(second.out, m.input());
    g.connect(m.out, g.add(tw::sink(seen)).in);
    tw::run(g, policy());
    ASSERT_THAT(seen, ElementsAre(20, 1'025)) << "round " << round;
  }
}

TEST_P(OrderedMerge, OfATeeGivesEachBranchsPartOfEachItem) {
  const auto all = kinds();
  std::vector<int> seen;
  std::vector<int> expected;
  tw::graph g;
  auto& t = g.add<tw::tee<int>>();
  auto& m = g.add<tw::merge<int>>(tw::ordered);
  g.connect(g.add(tw::source(std::views::iota(0, 2'000))).out, t.in);
  for (const auto& k : all) {
    auto line = g.add(k.line());
    g.connect(t.branch(), line.in);
    g.connect(line.out, m.input());
  }
  g.connect(m.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  for (int x = 0; x < 2'000; ++x) {
    for (const auto& k : all) {
      for (const int y : k.meaning(x)) expected.push_back(y);
    }
  }
  EXPECT_EQ(seen, expected);
}

TEST_P(OrderedMerge, PairsInsidePairs) {
  std::vector<int> seen;
  std::vector<int> expected;
  tw::graph g;
  auto& outer = g.add<tw::split<int>>();
  auto& outer_end = g.add<tw::merge<int>>(tw::ordered);
  auto& inner = g.add<tw::tee<int>>();
  auto& inner_end = g.add<tw::merge<int>>(tw::ordered);
  g.connect(g.add(tw::source(std::views::iota(0, 5'000))).out, outer.in);
  g.connect(outer.branch(), inner.in);
  auto odd_thirds = g.add(tw::filter([](int x) { return x % 3 != 0; }));
  auto negative = g.add(tw::farm([](int x) { return -x; }, {.replicas = 2}));
  g.connect(inner.branch(), odd_thirds.in);
  g.connect(odd_thirds.out, inner_end.input());
  g.connect(inner.branch(), negative.in);
  g.connect(negative.out, inner_end.input());
  g.connect(inner_end.out, outer_end.input());
  g.connect(outer.branch(), outer_end.input());
  g.connect(outer_end.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  for (int x = 0; x < 5'000; ++x) {
    if (x % 2 == 1) {
      expected.push_back(x);
    } else {
      if (x % 3 != 0) expected.push_back(x);
      expected.push_back(-x);
    }
  }
  EXPECT_EQ(seen, expected);
}

TEST_P(OrderedMerge, ABranchWithoutItemsDoesNotHoldTheOthersUp) {
  std::vector<int> seen;
  tw::graph g;
  auto& s = g.add<tw::split<int>>(tw::where<int>([](const int& x) { return x >= 0; }));
  auto& m = g.add<tw::merge<int>>(tw::ordered);
  g.connect(g.add(tw::source(std::views::iota(0, 10'000))).out, s.in);
  g.connect(s.branch(), m.input(), {.capacity = 3});
  g.connect(s.branch(), m.input());
  g.connect(m.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  numbers all(10'000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(seen, all);
}

// Bursts in the lines between a split and a merge. Lines are executed as one loop now and then, measured
// stage by stage, cut short and left in the middle of a burst: none of that may let a later item go first.
TEST_P(OrderedMerge, OfLinesWithBurstsKeepsTheOrder) {
  std::mt19937 random(11);
  const auto from = [&](long a, long b) {
    return a + static_cast<long>(random() % static_cast<unsigned long>(b - a + 1));
  };
  for (int repeat = 0; repeat < 20; ++repeat) {
    const long items = from(1'000, scaled(60'000)), slow = from(50, 2'000);
    const auto expands = [](long every, long into) {
      return [every, into](long x, auto& out) {
        const long n = x % every == every - 1 ? into : 1;
        for (long i = 0; i < n; ++i) out.send(3 * x + i);
      };
    };
    const auto first = expands(from(500, items), from(100, 8'000));
    const auto second = expands(from(1'000, items), from(0, 300));
    const auto works = [slow](long x) {
      if (x % slow == slow / 2) spin_for(50us);
      return x + 1;
    };
    const auto flat = [](auto f) { return tw::flat_map([f](long x, tw::emitter<long>& out) { f(x, out); }); };
    std::vector<long> seen;
    tw::graph g;
    auto& s = g.add<tw::split<long>>(tw::round_robin);
    auto& m = g.add<tw::merge<long>>(tw::ordered);
    g.connect(g.add(tw::source(std::views::iota(0L, items))).out, s.in);
    for (int k = 0; k < 2; ++k) {
      auto line = g.add(flat(first) | tw::farm(works, {.replicas = 3}) | flat(second) |
                        tw::farm([](long x) { return -x; }, {.replicas = 2}));
      g.connect(s.branch(), line.in);
      g.connect(line.out, m.input());
    }
    g.connect(m.out, g.add(tw::sink(seen)).in);
    tw::run(g, policy());
    struct keeping {
      std::vector<long> all;
      void send(long x) { all.push_back(x); }
    } behind_first, wanted;
    for (long x = 0; x < items; ++x) first(x, behind_first);
    for (const long x : behind_first.all) second(x + 1, wanted);
    ASSERT_EQ(seen.size(), wanted.all.size());
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], -wanted.all[i]) << "run " << repeat;
  }
}

// A merge holds the item of one input until the other has given or ended. The two ends may come while it is
// being executed.
TEST_P(OrderedMerge, InTurnHoldsNothingBackAtTheEnd) {
  const bool many = std::string(GetParam()).starts_with("pool");
  for (int repeat = 0; repeat < (many ? 4'000 : 400); ++repeat) {
    std::vector<int> seen;
    tw::graph g;
    auto& t = g.add<tw::tee<int>>();
    auto& s = g.add<tw::split<int>>();
    auto& m = g.add<tw::merge<int>>(tw::in_turn);
    g.connect(g.add(tw::source(numbers{1})).out, t.in, {.capacity = 16});
    auto& from_split = m.input();
    auto& from_tee = m.input();
    g.connect(t.branch(), s.in);
    g.connect(s.branch(), g.add(tw::sink([](int) {})).in);
    g.connect(s.branch(), from_split);
    g.connect(t.branch(), from_tee);
    g.connect(m.out, g.add(tw::sink(seen)).in);
    tw::run(g, policy());
    ASSERT_THAT(seen, ElementsAre(1)) << "run " << repeat;
  }
}

TEST_P(OrderedMerge, OfOtherKinds) {
  for (const auto how : {tw::first_come, tw::in_turn}) {
    std::vector<int> seen;
    tw::graph g;
    auto& m = g.add<tw::merge<int>>(how);
    g.connect(g.add(tw::source(numbers{1, 3, 5, 7})).out, m.input());
    g.connect(g.add(tw::source(numbers{2, 4})).out, m.input());
    g.connect(m.out, g.add(tw::sink(seen)).in);
    tw::run(g, policy());
    if (how == tw::in_turn) {
      EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5, 7));
    } else {
      EXPECT_THAT(seen, testing::UnorderedElementsAre(1, 2, 3, 4, 5, 7));
    }
  }
}

TEST_P(OrderedMerge, InputsThatDoNotComeFromOneSplitAreRefused) {
  const auto refused = [&](auto&& build) {
    tw::graph g;
    auto& m = g.configure(g.template add<tw::merge<int>>(tw::ordered), {.name = "together"});
    build(g, m);
    g.connect(m.out, g.add(tw::sink([](int) {})).in);
    const auto all = problems_of([&] { tw::run(g, policy()); });
    EXPECT_THAT(all, Contains(HasSubstr("'together'")));
  };
  refused([](tw::graph& g, tw::merge<int>& m) {
    g.connect(g.add(tw::source(numbers{1})).out, m.input());
    g.connect(g.add(tw::source(numbers{2})).out, m.input());
  });
  refused([](tw::graph& g, tw::merge<int>& m) {
    auto& a = g.add<tw::split<int>>();
    auto& b = g.add<tw::split<int>>();
    g.connect(g.add(tw::source(numbers{1})).out, a.in);
    g.connect(g.add(tw::source(numbers{2})).out, b.in);
    g.connect(a.branch(), m.input());
    g.connect(b.branch(), m.input());
  });
}

}  // namespace
