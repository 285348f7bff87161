// Composite stages: children under one name, with ports of their own names.
#include <thalweg/thalweg.hpp>

#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/stages.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace graphs;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class Composites : public under_every_policy {};
FOR_EVERY_POLICY(Composites);

// Even numbers times ten, then odd ones as they are, put together in order.
struct tens : tw::composite_stage {
  tw::exported_in<int> numbers{this, "numbers"};
  tw::exported_out<int> out{this, "out"};
  tens() {
    auto& s = configure(add<splitter>(), {.name = "split"});
    auto times = add(tw::farm([](int x) { return 10 * x; }, {.replicas = 2, .name = "times"}));
    auto& m = configure(add<sorter>(), {.name = "join"});
    connect(s.even, times.in);
    connect(times.out, m.a);
    connect(s.odd, m.b);
    numbers.leads_to(s.numbers);
    out.comes_from(m.out);
  }
};

// One of those, between two maps.
struct outer : tw::composite_stage {
  tw::exported_in<int> in{this, "in"};
  tw::exported_out<int> out{this, "out"};
  outer() {
    auto before = add(tw::map([](int x) { return x + 1; }, {.name = "before"}));
    auto& t = configure(add<tens>(), {.name = "tens"});
    auto after = add(tw::map([](int x) { return -x; }, {.name = "after"}));
    connect(before.out, t.numbers);
    connect(t.out, after.in);
    in.leads_to(before.in);
    out.comes_from(after.out);
  }
};

TEST_P(Composites, AreOnlyNames) {
  for (int i = 0; i < 2; ++i) {
    tw::graph g;
    auto& t = g.configure(g.add<tens>(), {.name = "t"});
    auto& k = g.add<collector>();
    g.connect(g.add(tw::source(std::views::iota(1, 7))).out, t.numbers);
    g.connect(t.out, k.in);
    const auto r = tw::run(g, policy());
    EXPECT_EQ(r.stage("t/times").items_in(), 3U);
    EXPECT_EQ(r.stage("t/split").items_in(), 6U);
    EXPECT_THAT(k.seen, testing::UnorderedElementsAre(1, 3, 5, 20, 40, 60));
    tw::run(g, policy());
    EXPECT_EQ(k.seen.size(), 6U);
  }
}

TEST_P(Composites, NestAndAreUsedTwice) {
  std::vector<int> seen;
  tw::graph g;
  auto& a = g.add<outer>();
  auto& b = g.configure(g.add<outer>(), {.name = "second"});
  g.connect(g.add(tw::source(std::vector{1, 2, 3})).out, a.in);
  g.connect(a.out, b.in);
  g.connect(b.out, g.add(tw::sink(seen)).in);
  EXPECT_EQ(a.name(), "outer-0");
  const auto r = tw::run(g, policy());
  EXPECT_EQ(r.stage("outer-0/tens/times").items_in(), 2U);
  EXPECT_EQ(r.stage("second/tens/split").items_in(), 3U);
  // 2 3 4 -> 20 3 40 -> -20 -3 -40 -> -19 -2 -39 -> -19 -20 -39
  EXPECT_THAT(seen, testing::UnorderedElementsAre(19, 20, 39));
}

TEST(CompositeNames, ArePaths) {
  tw::graph g;
  g.add<collector>();
  auto& o = g.add<outer>();
  EXPECT_EQ(o.name(), "outer-1");
  std::vector<std::string> names;
  std::vector<std::string> boxes;
  for (std::size_t i = 0; i < g.size(); ++i) {
    names.push_back(g.node(i).name);
    boxes.push_back(g.node(i).composite);
  }
  EXPECT_THAT(names, ElementsAre("collector-0", "outer-1/before", "outer-1/tens/split", "outer-1/tens/times",
                                 "outer-1/tens/join", "outer-1/after"));
  EXPECT_THAT(boxes, ElementsAre("", "outer-1", "outer-1/tens", "outer-1/tens", "outer-1/tens", "outer-1"));
  g.configure(o, {.name = "o"});
  EXPECT_EQ(g.node(2).name, "o/tens/split");
}

TEST(CompositeNames, ConnectByName) {
  std::vector<int> seen;
  tw::graph g;
  g.configure(g.add<outer>(), {.name = "o"});
  g.add(tw::source(std::vector{1}, {.name = "one"}));
  g.add(tw::sink(seen, {.name = "keep"}));
  g.connect("one.out", "o.in");
  g.connect("o/after.out", "keep.in");
  tw::run(g);
  EXPECT_THAT(seen, ElementsAre(-20));
  tw::graph h;
  h.configure(h.add<outer>(), {.name = "o"});
  h.add(tw::source(std::vector{1}, {.name = "one"}));
  h.connect("one.out", "o.out");
  EXPECT_THAT(problems_of([&] { tw::run(h); }),
              Contains(AllOf(HasSubstr("composite stage 'o' has no input 'out'"), HasSubstr("it has: in"))));
}

TEST(CompositeProblems, NamePathsAndExportedPorts) {
  tw::graph g;
  auto& o = g.configure(g.add<outer>(), {.name = "o"});
  auto one = g.add(tw::source(std::vector{1}));
  g.connect(one.out, o.in);
  EXPECT_THAT(problems_of([&] { tw::run(g); }),
              ElementsAre(AllOf(HasSubstr("'o.out' (which is 'o/after.out')"), HasSubstr("not connected"))));
  g.connect(g.add(tw::source(std::vector{1})).out, o.in);
  EXPECT_THAT(problems_of([&] { tw::run(g); }),
              Contains(AllOf(HasSubstr("'o.in' (which is 'o/before.in')"), HasSubstr("twice"))));
}

TEST(CompositeProblems, OfWhatIsMadeInside) {
  struct bad : tw::composite_stage {
    tw::exported_in<int> in{this, "in"};
    tw::exported_out<int> out{this, "out"};
    bad() {
      auto& c = add<collector>();
      in.leads_to(c.in);
      connect("nobody.out", "collector-0.in");
    }
    void validate() override { throw std::runtime_error("no file was named"); }
  };
  tw::graph g;
  auto& b = g.configure(g.add<bad>(), {.name = "b"});
  g.connect(g.add(tw::source(std::vector{1})).out, b.in);
  EXPECT_THAT(problems_of([&] { tw::run(g); }),
              testing::UnorderedElementsAre(
                  AllOf(HasSubstr("composite stage 'b'"), HasSubstr("no stage 'nobody'")),
                  AllOf(HasSubstr("composite stage 'b'"), HasSubstr("'out'"), HasSubstr("comes_from")),
                  AllOf(HasSubstr("composite stage 'b'"), HasSubstr("no file was named"))));
}

TEST(CompositeProblems, OptionsAndNames) {
  const auto problem = [](tw::options o) {
    tw::graph g;
    auto& t = g.configure(g.add<tens>(), std::move(o));
    g.connect(g.add(tw::source(std::vector{1}, {.name = "s"})).out, t.numbers);
    g.connect(t.out, g.add<collector>().in);
    const auto all = problems_of([&] { tw::run(g); });
    return all.empty() ? std::string() : all.front();
  };
  EXPECT_THAT(problem({.blocking = true}), AllOf(HasSubstr("'tens-0'"), HasSubstr("children")));
  EXPECT_THAT(problem({.name = "a/b"}), HasSubstr("may not contain '/'"));
  EXPECT_THAT(problem({.name = "s"}), AllOf(HasSubstr("'s'"), HasSubstr("twice")));
}

TEST(CompositeProblems, ChildrenAreMadeInTheConstructor) {
  struct late : tens {
    void more() { add<collector>(); }
  };
  tw::graph g;
  auto& l = g.configure(g.add<late>(), {.name = "late"});
  EXPECT_THROW(l.more(), tw::error);
  tw::graph h;
  h.connect(l.out, h.add<collector>().in);
  EXPECT_THAT(problems_of([&] { tw::run(h); }),
              ElementsAre(AllOf(HasSubstr("'late.out'"), HasSubstr("not in this graph"))));
  h.configure(l, {.name = "mine"});
  EXPECT_THAT(problems_of([&] { tw::run(h); }),
              Contains(HasSubstr("cannot configure composite stage 'late'")));
  EXPECT_EQ(l.name(), "late");
}

TEST(CompositePictures, HaveABoxForEach) {
  tw::graph g;
  auto& o = g.configure(g.add<outer>(), {.name = "o"});
  g.connect(g.add(tw::source(std::vector{1}, {.name = "one"})).out, o.in);
  g.connect(o.out, g.add(tw::sink([](int) {}, {.name = "none"})).in);
  const auto dot = tw::to_dot(g);
  const auto at = [&](std::string_view text) {
    const auto found = dot.find(text);
    EXPECT_NE(found, std::string::npos) << text << " in\n" << dot;
    return found;
  };
  EXPECT_LT(at("subgraph cluster_box_0 {\n    style=solid;\n    label=\"o\";"), at("\"o/before\\nmap\""));
  EXPECT_LT(at("\"o/before\\nmap\""), at("subgraph cluster_box_1 {\n    style=solid;\n    label=\"tens\";"));
  EXPECT_LT(at("label=\"tens\""), at("\"o/tens/split\\nsplitter\""));
  const auto inner_end = dot.find("  }\n", at("\"o/tens/join\\nsorter\""));
  EXPECT_LT(inner_end, at("\"o/after\\nmap\""));
  EXPECT_LT(dot.find("  }\n", at("\"o/after\\nmap\"")), at("\"one\\nsource\""));
  EXPECT_EQ(std::ranges::count(dot, '{'), std::ranges::count(dot, '}'));
  EXPECT_THAT(tw::to_json(g),
              HasSubstr(R"("name":"o/tens/split","pattern":"splitter","composite":"o/tens")"));
}

// --- items that convert ---

TEST_P(Composites, ItemsThatConvertAreTaken) {
  struct text : tw::stage {
    tw::in<std::string> in{this, "in"};
    std::vector<std::string> seen;
    void on_start() override { seen.clear(); }
    void on_item(tw::in<std::string>&, std::string s) { seen.push_back(std::move(s)); }
  };
  std::vector<double> numbers;
  tw::graph g;
  auto& s = g.add<splitter>();
  auto& t = g.add<text>();
  auto words = g.add(tw::map([](int x) { return x == 2 ? "two" : "more"; }));
  g.connect(g.add(tw::source(std::views::iota(0, 5'000))).out, s.numbers);
  g.connect(s.even, words.in);
  g.connect(words.out, t.in);  // const char* to std::string
  auto half = g.add(tw::farm([](double x) { return x / 2; }, {.replicas = 2}));
  g.connect(s.odd, half.in, {.capacity = 100});  // int to double
  g.connect(half.out, g.add(tw::sink(numbers)).in);
  tw::run(g, policy());
  ASSERT_EQ(t.seen.size(), 2'500U);
  EXPECT_EQ(t.seen[1], "two");
  ASSERT_EQ(numbers.size(), 2'500U);
  EXPECT_EQ(numbers[1], 1.5);
}

TEST_P(Composites, ItemsThatConvertKeepTheirOrderBehindBranches) {
  std::vector<long> seen;
  tw::graph g;
  auto& s = g.add<tw::split<int>>();
  auto& m = g.add<tw::merge<long>>(tw::ordered);
  g.connect(g.add(tw::source(std::views::iota(0, 3'000))).out, s.in);
  auto tens = g.add(tw::farm([](long x) { return x; }, {.replicas = 2}));
  g.connect(s.branch(), tens.in);
  g.connect(tens.out, m.input());
  g.connect(s.branch(), m.input());
  g.connect(m.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  ASSERT_EQ(seen.size(), 3'000U);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

TEST_P(Composites, AGraphThatIsALineConvertsToo) {
  std::vector<double> seen;
  tw::graph g;
  g.connect(g.add(tw::source(std::vector{1, 2})).out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  EXPECT_THAT(seen, ElementsAre(1.0, 2.0));
}

TEST(Conversions, APipeOfOnesOwnIsForWhatIsTaken) {
  struct whole : tw::own_pipe<double> {
    std::mutex m;
    std::deque<double> items;
    bool try_push(double& x) override {
      const std::lock_guard hold(m);
      items.push_back(x);
      return true;
    }
    std::optional<double> try_pop() override {
      const std::lock_guard hold(m);
      if (items.empty()) return {};
      const double x = items.front();
      items.pop_front();
      return x;
    }
  };
  std::vector<double> seen;
  tw::graph g;
  g.connect(g.add(tw::source(std::vector{1, 2})).out, g.add(tw::sink(seen)).in,
            {.pipe = tw::made_by<double>([] { return std::make_unique<whole>(); })});
  tw::run(g);
  EXPECT_THAT(seen, ElementsAre(1.0, 2.0));
}

}  // namespace
