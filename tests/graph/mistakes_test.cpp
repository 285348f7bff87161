#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/stages.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using namespace graphs;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

std::vector<std::string> problems(tw::graph& g) {
  return problems_of([&] { tw::run(g); });
}

// A splitter with names, of which nothing is connected.
struct named {
  tw::graph g;
  splitter& s;
  named() : s(g.configure(g.add<splitter>(), {.name = "split"})) {
    g.add(tw::source(std::vector{1, 2, 3}, {.name = "numbers"}));
    g.add(tw::sink([](int) {}, {.name = "evens"}));
    g.add(tw::sink([](int) {}, {.name = "odds"}));
  }
};

TEST(GraphByName, ConnectsStagesAndLines) {
  named n;
  n.g.connect("numbers.out", "split.numbers");
  n.g.connect("split.even", "evens.in");
  n.g.connect("split.odd", "odds");
  EXPECT_EQ(tw::run(n.g).items(), 3U);
}

TEST(GraphByName, MistakesNameStageAndPort) {
  const auto problem = [](std::string_view from, std::string_view to) {
    named n;
    n.g.connect(from, to);
    return problems(n.g).front();
  };
  EXPECT_THAT(problem("number.out", "split.numbers"),
              AllOf(HasSubstr("'number.out'"), HasSubstr("'split.numbers'"),
                    HasSubstr("no stage 'number' (there are: split, numbers, evens")));
  EXPECT_THAT(problem("split.evn", "evens.in"),
              AllOf(HasSubstr("stage 'split' has no output 'evn'"), HasSubstr("even, odd")));
  EXPECT_THAT(problem("numbers.out", "split.in"),
              AllOf(HasSubstr("stage 'split' has no input 'in'"), HasSubstr("numbers")));
  EXPECT_THAT(problem("split.numbers", "evens.in"), HasSubstr("stage 'split' has no output 'numbers'"));
  EXPECT_THAT(problem("split.even", "numbers.in"), HasSubstr("stage 'numbers' has no input 'in'"));
  EXPECT_THAT(problem("evens.out", "split.numbers"), HasSubstr("stage 'evens' has no output 'out'"));
}

TEST(GraphByName, TypesAreCompared) {
  tw::graph g;
  g.add(tw::source(std::vector<std::string>{"a"}, {.name = "words"}));
  g.configure(g.add<collector>(), {.name = "numbers"});
  g.connect("words.out", "numbers.in");
  EXPECT_THAT(problems(g), Contains(AllOf(HasSubstr("'words.out'"), HasSubstr("'numbers.in'"),
                                          HasSubstr("int"), HasSubstr("string"))));
}

TEST(GraphMistakes, PortsThatAreNotConnected) {
  named n;
  const auto all = problems(n.g);
  EXPECT_THAT(all, Contains(AllOf(HasSubstr("'split.numbers'"), HasSubstr("not connected"))));
  EXPECT_THAT(all, Contains(AllOf(HasSubstr("'split.even'"), HasSubstr("not connected"),
                                  HasSubstr("optional_port"))));
  EXPECT_THAT(all, Contains(HasSubstr("'split.odd'")));
  EXPECT_THAT(all, Contains(AllOf(HasSubstr("'numbers.out'"), HasSubstr("not connected"))));
  EXPECT_THAT(all, Contains(AllOf(HasSubstr("'evens.in'"), HasSubstr("not connected"))));
  EXPECT_THAT(all, SizeIs(6));
}

TEST(GraphMistakes, PortsThatAreConnectedTwice) {
  named n;
  n.g.connect("numbers", "split.numbers");
  n.g.connect("numbers", "odds");
  n.g.connect("split.even", "evens");
  n.g.connect("split.odd", "evens");
  const auto all = problems(n.g);
  EXPECT_THAT(all, Contains(AllOf(HasSubstr("'numbers.out'"), HasSubstr("twice"), HasSubstr("tw::tee"))));
  EXPECT_THAT(all, Contains(AllOf(HasSubstr("'evens.in'"), HasSubstr("twice"), HasSubstr("tw::merge"))));
}

TEST(GraphMistakes, PortsOfOtherGraphs) {
  tw::graph g;
  tw::graph other;
  auto& s = other.add<splitter>();
  other.add<collector>();
  auto& mine = g.add<collector>();
  g.connect(s.even, mine.in);
  EXPECT_THAT(problems(g), Contains(AllOf(HasSubstr("'splitter-0.even'"), HasSubstr("'collector-0.in'"),
                                          HasSubstr("not in this graph"))));
}

TEST(GraphMistakes, HandlesOfOtherGraphs) {
  std::vector<int> seen;
  tw::graph g;
  auto a = g.add(tw::source(std::vector{1, 2, 3}, {.name = "mine"}));
  tw::graph h;
  h.add(tw::source(std::vector{100, 200}, {.name = "other"}));
  auto c = h.add(tw::sink(seen, {.name = "keep"}));
  h.connect(a.out, c.in);
  EXPECT_THAT(problems(h),
              ElementsAre("cannot connect 'mine.out' to 'keep.in': 'mine.out' is not in this graph"));
  tw::graph k;  // where its number is that of a sink
  auto d = k.add(tw::sink(seen, {.name = "only"}));
  k.connect(a.out, d.in);
  EXPECT_THAT(problems(k), ElementsAre(AllOf(HasSubstr("'mine.out'"), HasSubstr("'only.in'"))));
  k.connect(a.out, c.in);
  EXPECT_THAT(problems(k),
              Contains(AllOf(HasSubstr("'mine.out'"), HasSubstr("'keep.in'"), HasSubstr("they are not"))));
  tw::graph moved = std::move(g);
  moved.connect(a.out, moved.add(tw::sink(seen)).in);
  tw::run(moved);
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
}

TEST(GraphMistakes, AHandleOfAGraphThatIsGone) {
  std::optional<decltype(std::declval<tw::graph&>().add(endless()))> gone;
  {
    tw::graph g;
    gone = g.add(endless());
  }
  tw::graph h;
  h.connect(gone->out, h.add(tw::sink([](int) {})).in);
  EXPECT_THAT(problems(h), ElementsAre(HasSubstr("'source.out' is not in this graph")));
}

TEST(GraphMistakes, AStageThatIsAddedTwice) {
  tw::graph g;
  counter c(1);
  g.use(c);
  auto& k = g.configure(g.add<collector>(), {.name = "keep"});
  g.connect(c.out, k.in);
  g.use(c);
  g.use(k);
  EXPECT_THAT(problems(g), ElementsAre("stage 'counter-0' is added twice: it is in this graph already",
                                       "stage 'keep' is added twice: it is in this graph already"));
  EXPECT_EQ(g.size(), 2U);
}

TEST(GraphMistakes, AStageThatIsInAnotherGraph) {
  collector k;
  tw::graph g;
  {
    tw::graph first;
    first.use(k);
    tw::graph second;
    second.use(k);
    EXPECT_THAT(problems(second),
                Contains("stage 'collector-0' is added twice: it is in another graph already"));
    auto& c = first.add<counter>(3);
    first.connect(c.out, k.in);
    tw::run(first);
    EXPECT_THAT(k.seen, SizeIs(3)) << "the first graph has it";
  }
  k.in.connect(false);
  g.use(k);  // the first one is gone
  auto& c = g.add<counter>(2);
  g.connect(c.out, k.in);
  tw::run(g);
  EXPECT_THAT(k.seen, SizeIs(2));
}

// Has its ports, and reads them itself.
struct reading : tw::stage {
  tw::in<int> in{this, "in"};
  void on_run() override {
    while (in.available()) in.take();
  }
};
struct below_reading : reading {
  void on_item(tw::in<int>&, int) {}
};
struct below_collector : collector {
  void on_item(tw::in<int>&, int) {}
};
struct below_and_silent : collector {};
class with_private_functions : public tw::stage {
  void on_run() override {
    while (in.available()) on_item(in.take());
  }
  void on_item(int x) { sum += x; }

 public:
  tw::in<int> in{this, "in"};
  int sum = 0;
};

template <class S> std::vector<std::string> problems_with() {
  tw::graph g;
  auto& s = g.configure(g.add<S>(), {.name = "last"});
  g.connect(g.add(tw::source(std::vector{1})).out, s.in);
  std::vector<std::string> all;
  try {
    tw::run(g);
  } catch (const tw::invalid_job& e) {
    all = e.problems();
  }
  return all;
}

TEST(GraphMistakes, AnOnItemThatIsNeverCalled) {
  const auto never = ElementsAre(AllOf(HasSubstr("on_item is never called"), HasSubstr("base class")));
  EXPECT_THAT(problems_with<below_reading>(), never);
  EXPECT_THAT(problems_with<below_collector>(), never);
  EXPECT_THAT(problems_with<below_and_silent>(), IsEmpty());
  EXPECT_THAT(problems_with<reading>(), IsEmpty());
  EXPECT_THAT(problems_with<with_private_functions>(), IsEmpty());
  tw::graph g;
  g.add(std::make_unique<below_reading>());
  below_reading used;
  g.use(used);
  EXPECT_THAT(problems(g), testing::SizeIs(testing::Ge(2)));
}

TEST(GraphMistakes, AStageOfAnotherGraphIsNotConfigured) {
  tw::graph g;
  auto& s = g.add<splitter>();
  tw::graph h;
  h.configure(s, {.name = "mine"});
  EXPECT_EQ(s.name(), "splitter-0");
  EXPECT_THAT(problems(h), Contains(AllOf(HasSubstr("'splitter-0'"), HasSubstr("not in this graph"))));
}

TEST(GraphMistakes, NamesGivenTwice) {
  tw::graph g;
  auto& a = g.configure(g.add<counter>(1), {.name = "x"});
  auto& b = g.configure(g.add<collector>(), {.name = "x"});
  g.connect(a.out, b.in);
  EXPECT_THAT(problems(g), ElementsAre(AllOf(HasSubstr("'x'"), HasSubstr("twice"))));
}

TEST(GraphMistakes, OptionsOfConnections) {
  struct pipe : tw::own_pipe<int> {
    bool try_push(int&) override { return true; }
    std::optional<int> try_pop() override { return {}; }
  };
  const auto problem = [](tw::connect_options o) {
    tw::graph g;
    auto& a = g.configure(g.add<counter>(1), {.name = "from"});
    auto& b = g.configure(g.add<collector>(), {.name = "to"});
    g.connect(a.out, b.in, std::move(o));
    const auto all = problems(g);
    EXPECT_THAT(all, SizeIs(1));
    EXPECT_THAT(all, Contains(AllOf(HasSubstr("'from.out'"), HasSubstr("'to.in'"))));
    return all.empty() ? std::string() : all.front();
  };
  EXPECT_THAT(problem({.capacity = 0}), HasSubstr(".capacity must be at least 1, not 0"));
  EXPECT_THAT(problem({.bytes = -3}), HasSubstr(".bytes must be at least 1, not -3"));
  EXPECT_THAT(problem({.capacity = 3, .pipe = tw::made_by<int>([] { return std::make_unique<pipe>(); })}),
              HasSubstr(".capacity"));
  struct text_pipe : tw::own_pipe<std::string> {
    bool try_push(std::string&) override { return true; }
    std::optional<std::string> try_pop() override { return {}; }
  };
  EXPECT_THAT(problem({.pipe = tw::made_by<std::string>([] { return std::make_unique<text_pipe>(); })}),
              HasSubstr("its .pipe is for another type of items"));
}

TEST(GraphMistakes, ALoopIntoWhichNothingLeads) {
  tw::graph g;
  auto a = g.add(tw::map([](int x) { return x; }, {.name = "round"}));
  auto b = g.add(tw::map([](int x) { return x; }));
  g.connect(a.out, b.in);
  g.connect(b.out, a.in);
  g.connect(g.add(tw::source(std::vector{1})).out, g.add(tw::sink([](int) {})).in);
  EXPECT_THAT(problems(g), ElementsAre(AllOf(HasSubstr("'round'"), HasSubstr("nothing leads"))));
}

TEST(GraphMistakes, AnEmptyGraphAndANullStage) {
  tw::graph g;
  EXPECT_THAT(problems(g), ElementsAre(HasSubstr("empty")));
  EXPECT_THROW(g.add(std::unique_ptr<tw::stage>()), tw::error);
}

TEST(GraphMistakes, WhatValidateThrowsIsAProblemOfTheStage) {
  struct picky : collector {
    void validate() override { throw std::runtime_error("no file was named"); }
  };
  tw::graph g;
  auto& c = g.add<counter>(1);
  auto& p = g.configure(g.add<picky>(), {.name = "writer"});
  g.connect(c.out, p.in);
  EXPECT_THAT(problems(g), ElementsAre(AllOf(HasSubstr("'writer'"), HasSubstr("no file was named"))));
}

TEST(GraphMistakes, AGraphWithProblemsCanBeMendedAndRun) {
  tw::graph g;
  auto& c = g.add<counter>(5);
  auto& k = g.add<collector>();
  EXPECT_THAT(problems(g), SizeIs(2));
  g.connect(c.out, k.in);
  tw::run(g);
  EXPECT_THAT(k.seen, SizeIs(5));
}

TEST(GraphMistakes, OneRunAtATime) {
  tw::graph g;
  auto& k = g.add<collector>();
  std::atomic<bool> on = true;
  g.connect(g.add(tw::source([&]() -> std::optional<int> {
               std::this_thread::sleep_for(100us);
               return on ? std::optional(1) : std::nullopt;
             })).out,
            k.in);
  {
    auto e = tw::launch(g);
    EXPECT_THROW(tw::run(g), tw::error);
    on = false;
    e.wait();
  }
  EXPECT_NO_THROW(tw::run(g)) << "the run has ended, and its execution is gone";
}

TEST(GraphMistakes, WhatCanBeUsedOnlyOnceRunsOnce) {
  std::vector<int> seen;
  tw::graph g;
  g.connect(g.add(tw::source(std::vector{1, 2})).out,
            g.add(tw::map([by = std::make_unique<int>(3)](int x) { return *by * x; }, {.name = "times"}) |
                  tw::sink([&](int x) { seen.push_back(x); }))
                .in);
  tw::run(g);
  EXPECT_THAT(seen, ElementsAre(3, 6));
  try {
    tw::run(g);
    FAIL() << "it ran again";
  } catch (const tw::error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("'times'"), HasSubstr("once")));
  }
}

// --- what stages throw ---

class GraphErrors : public under_every_policy {};
FOR_EVERY_POLICY(GraphErrors);

enum class place { item, run, start, end };

struct failing : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<int> out{this, "out"};
  const place where;
  explicit failing(place p) : where(p) {}
  void on_start() override {
    if (where == place::start) throw std::runtime_error("at the start");
  }
  void on_item(tw::in<int>&, int x) {
    if (where == place::item && x == 50) throw std::runtime_error("at 50");
    out.send(x);
  }
  void on_end() override {
    if (where == place::end) throw std::runtime_error("at the end");
  }
};

struct failing_chooser : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<int> out{this, "out"};
  void on_run() override {
    while (in.available()) {
      const int x = in.take();
      if (x == 50) throw std::runtime_error("at 50");
      out.send(x);
    }
  }
};

TEST_P(GraphErrors, ComeOutWithTheNameOfTheStage) {
  const std::vector<std::pair<place, std::string>> all{
      {place::item, "at 50"}, {place::start, "at the start"}, {place::end, "at the end"}};
  for (const auto& [where, text] : all) {
    tw::graph g;
    auto& c = g.add<counter>(100);
    auto& f = g.configure(g.add<failing>(where), {.name = "bad"});
    auto& k = g.add<collector>();
    g.connect(c.out, f.in);
    g.connect(f.out, k.in);
    const auto found = failure_of([&] { tw::run(g, policy()); });
    EXPECT_EQ(found.stage, "bad") << text;
    EXPECT_EQ(found.cause, text);
    EXPECT_LE(k.seen.size(), where == place::item ? 50U : 100U);
    for (std::size_t i = 0; i < k.seen.size(); ++i) EXPECT_EQ(k.seen[i], static_cast<int>(i));
  }
}

TEST_P(GraphErrors, OfStagesThatChoose) {
  tw::graph g;
  auto& f = g.configure(g.add<failing_chooser>(), {.name = "chooser"});
  g.connect(g.add(endless()).out, f.in);
  auto& k = g.add<collector>();
  g.connect(f.out, k.in);
  const auto found = failure_of([&] { tw::run(g, policy()); });
  EXPECT_EQ(found.stage, "chooser");
  EXPECT_EQ(found.cause, "at 50");
  EXPECT_LE(k.seen.size(), 50U);
}

TEST_P(GraphErrors, OfASourceAndOfPatterns) {
  struct bad_source : tw::stage {
    tw::out<int> out{this, "out"};
    int n = 0;
    void on_start() override { n = 0; }
    void on_run() override { n < 10 ? out.send(n++) : throw std::runtime_error("dry"); }
  };
  tw::graph g;
  auto& s = g.configure(g.add<bad_source>(), {.name = "well"});
  g.connect(s.out, g.add(tw::sink([](int) {})).in);
  EXPECT_EQ(failure_of([&] { tw::run(g, policy()); }).stage, "well");
  tw::graph h;
  auto& c = h.add<counter>(10);
  auto& k = h.add<collector>();
  auto divide = h.add(tw::farm([](int x) { return x == 5 ? throw std::domain_error("five") : x; },
                               {.replicas = 2, .name = "work"}));
  h.connect(c.out, divide.in);
  h.connect(divide.out, k.in);
  const auto found = failure_of([&] { tw::run(h, policy()); });
  EXPECT_THAT(found.stage, HasSubstr("work"));
  EXPECT_EQ(found.cause, "five");
}

TEST_P(GraphErrors, AGraphThatHasFailedRunsAgain) {
  tw::graph g;
  bool bad = true;
  auto& c = g.add<counter>(100);
  auto& k = g.add<collector>();
  auto check = g.add(tw::map([&](int x) { return bad && x == 30 ? throw std::runtime_error("bad") : x; }));
  g.connect(c.out, check.in);
  g.connect(check.out, k.in);
  EXPECT_EQ(failure_of([&] { tw::run(g, policy()); }).cause, "bad");
  bad = false;
  tw::run(g, policy());
  EXPECT_THAT(k.seen, SizeIs(100));
}

TEST_P(GraphErrors, ItemsLeftAtAnInputAreAnError) {
  struct forgetful : tw::stage {
    tw::in<int> in{this, "in"};
    void on_run() override {
      if (in.available() && in.front() < 5) in.take();
    }
  };
  tw::graph g;
  auto& c = g.add<counter>(10);
  auto& f = g.configure(g.add<forgetful>(), {.name = "forgetful"});
  g.connect(c.out, f.in);
  const auto found = failure_of([&] { tw::run(g, policy()); });
  EXPECT_EQ(found.stage, "forgetful");
  EXPECT_THAT(found.cause, HasSubstr("'in'"));
}

TEST_P(GraphErrors, TakingFromAnEmptyPortNamesStageAndPort) {
  struct hasty : tw::stage {
    tw::in<int> high{this, "high"}, low{this, "low"};
    tw::out<int> out{this, "out"};
    const bool looks;
    explicit hasty(bool l) : looks(l) {}
    void on_run() override { out.send(looks ? high.front() : high.take()); }
  };
  for (const bool looks : {false, true}) {
    tw::graph g;
    auto& h = g.configure(g.add<hasty>(looks), {.name = "hasty"});
    g.connect(g.add(tw::source(std::vector<int>{})).out, h.high);
    g.connect(g.add(tw::source(std::vector<int>{})).out, h.low);
    g.connect(h.out, g.add<collector>().in);
    const auto found = failure_of([&] { tw::run(g, policy()); });
    EXPECT_EQ(found.stage, "hasty");
    EXPECT_THAT(found.cause, AllOf(HasSubstr("'high'"), HasSubstr("'hasty'"), HasSubstr("available()"),
                                   HasSubstr(looks ? "front()" : "take()")));
  }
}

TEST(GraphMistakes, AStageAndALineOfTheSameName) {
  tw::graph g;
  auto& c = g.configure(g.add<counter>(1), {.name = "y"});
  g.connect(c.out, g.add(tw::sink([](int) {}, {.name = "y"})).in);
  try {
    tw::run(g);
    FAIL() << "the second name was not noticed";
  } catch (const tw::invalid_job& e) {
    EXPECT_THAT(e.what(), HasSubstr("'y': this name is given twice"));
  }
}

TEST(GraphMistakes, APictureUsesNothingUp) {
  tw::graph g;
  int seen = 0;
  auto only_once = [p = std::make_unique<int>(1)](int x) { return x + *p; };
  auto m = g.add(tw::map(std::move(only_once), {.name = "m"}));
  g.connect(g.add(tw::source(std::vector{1, 2})).out, m.in);
  g.connect(m.out, g.add(tw::sink([&](int x) { seen += x; })).in);
  EXPECT_THAT(tw::to_dot(g), HasSubstr("\"m\\nmap\""));
  EXPECT_THAT(tw::to_json(g), HasSubstr("\"m\""));
  tw::run(g);
  EXPECT_EQ(seen, 5);
}

}  // namespace
