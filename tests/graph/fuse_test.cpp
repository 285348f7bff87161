// What the fields of `threads` do in graphs.
#include <thalweg/thalweg.hpp>

#include <ranges>
#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/stages.hpp"

namespace tw = thalweg;
using namespace graphs;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

struct through : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<int> out{this, "out"};
  std::set<std::thread::id> who;  // has executed it
  void on_item(tw::in<int>&, int x) {
    who.insert(std::this_thread::get_id());
    out.send(x + 1);
  }
};

// source -> a -> b -> sink
struct line {
  std::vector<int> seen;
  tw::graph g;
  through& a = g.configure(g.add<through>(), {.name = "a"});
  through& b = g.configure(g.add<through>(), {.name = "b"});
  explicit line(tw::connect_options between = {}) {
    g.connect(g.add(tw::source(std::views::iota(0, 1'000))).out, a.in);
    g.connect(a.out, b.in, std::move(between));
    g.connect(b.out, g.add(tw::sink(seen)).in);
  }
};

TEST(Fuse, StagesOfAGraphThatFollowEachOtherShareAThread) {
  line all;
  const auto r = tw::run(all.g, tw::threads{.fuse = true});
  EXPECT_EQ(r.workers(), 1);
  EXPECT_EQ(all.a.who, all.b.who);
  EXPECT_EQ(all.a.who.size(), 1U);
  ASSERT_EQ(all.seen.size(), 1'000U);
  EXPECT_EQ(all.seen.back(), 1'001);
  EXPECT_EQ(tw::run(all.g, tw::threads{}).workers(), 4);
}

TEST(Fuse, StagesThatWantAThreadOrAPipeOfTheirOwnKeepIt) {
  line blocking;
  blocking.g.configure(blocking.b, {.blocking = true});
  EXPECT_EQ(tw::run(blocking.g, tw::threads{.fuse = true}).workers(), 3);  // source and a, b, sink
  line bounded({.capacity = 3});
  EXPECT_EQ(tw::run(bounded.g, tw::threads{.fuse = true}).workers(), 2);
  EXPECT_EQ(bounded.seen.size(), 1'000U);
}

TEST(Fuse, BranchesHaveThreadsOfTheirOwn) {
  std::vector<int> seen;
  tw::graph g;
  auto& s = g.add<tw::split<int>>();
  auto& m = g.add<tw::merge<int>>(tw::ordered);
  g.connect(g.add(tw::source(std::views::iota(0, 1'000))).out, s.in);
  for (int i = 0; i < 2; ++i) {
    auto& a = g.add<through>();
    auto& b = g.add<through>();
    g.connect(s.branch(), a.in);
    g.connect(a.out, b.in);
    g.connect(b.out, m.input());
  }
  g.connect(m.out, g.add(tw::sink(seen)).in);
  EXPECT_EQ(tw::run(g, tw::threads{.fuse = true}).workers(),
            4);  // source and split, two branches, merge and sink
  ASSERT_EQ(seen.size(), 1'000U);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

TEST(Fuse, LoopsEnd) {
  std::vector<int> seen;
  tw::graph g;
  auto& h = g.add<halver>();
  auto round = g.add(tw::map([](int x) { return x; }) | tw::map([](int x) { return x; }));
  g.connect(g.add(tw::source(std::views::iota(1, 2'000))).out, h.fresh);
  g.connect(h.again, round.in);
  g.connect(round.out, h.back);
  g.connect(h.done, g.add(tw::sink(seen)).in);
  tw::run(g, tw::threads{.fuse = true});
  EXPECT_EQ(seen.size(), 1'999U);
}

TEST(Fuse, LinesOfPatternsThatWereAddedOneByOne) {
  std::vector<int> seen;
  tw::graph g;
  auto a = g.add(tw::map([](int x) { return x + 1; }, {.name = "a"}));
  auto b = g.add(tw::map([](int x) { return 2 * x; }, {.name = "b"}));
  g.connect(g.add(tw::source(std::vector{1, 2, 3}, {.name = "source"})).out, a.in);
  g.connect(a.out, b.in);
  g.connect(b.out, g.add(tw::sink(seen)).in);
  const auto r = tw::run(g, tw::threads{.fuse = true});
  EXPECT_EQ(r.workers(), 1);
  EXPECT_EQ(r.stage("b").data().segment, r.stage("source").data().segment) << "they never run at once";
  EXPECT_GE(r.stage("b").data().segment, 0);
  EXPECT_EQ(seen, (std::vector{4, 6, 8}));
}

TEST(ThreadsOfGraphs, AreBoundedByTheReplicasOfAllFarms) {
  std::vector<int> seen;
  tw::graph g;
  auto f = g.add(tw::farm([](int x) { return x; }, {.replicas = 4, .name = "f"}));
  auto h = g.add(tw::farm([](int x) { return x; }, {.replicas = 4, .name = "h"}));
  auto& s = g.add<through>();
  g.connect(g.add(tw::source(std::views::iota(0, 100))).out, f.in);
  g.connect(f.out, s.in);
  g.connect(s.out, h.in);
  g.connect(h.out, g.add(tw::sink(seen)).in);
  const auto r = tw::run(g, tw::threads{.replicas = 3});
  EXPECT_EQ(r.stage("f").replicas() + r.stage("h").replicas(), 3);
  EXPECT_THAT(r.notes(), IsEmpty());
  EXPECT_EQ(seen.size(), 100U);
}

TEST(ThreadsOfGraphs, SayThatThereIsNoFarmToBound) {
  line all;
  EXPECT_THAT(tw::run(all.g, tw::threads{.replicas = 3}).notes(),
              Contains(testing::AllOf(HasSubstr("threads:3"), HasSubstr("no farm"))));
  EXPECT_THAT(tw::run(all.g, tw::threads{}).notes(), IsEmpty());
}

}  // namespace
