#include <thalweg/test.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

struct splitter : tw::stage {
  tw::in<int> numbers{this, "numbers"};
  tw::out<int> even{this, "even"}, odd{this, "odd"};
  void on_item(tw::in<int>&, int x) { (x % 2 == 0 ? even : odd).send(x); }
};

struct adder : tw::stage {
  tw::in<int> a{this, "a"}, b{this, "b"};
  tw::out<int> sum{this, "sum"};
  void on_run() override {
    while (a.available() && b.available()) sum.send(a.take() + b.take());
    if (a.ended() || b.ended()) end();
  }
};

struct summary : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<std::string> out{this, "out"};
  int sum = 0;
  int starts = 0;
  int ends = 0;
  void on_start() override {
    sum = 0;
    ++starts;
  }
  void on_item(tw::in<int>&, int x) {
    if (x < 0) throw std::domain_error("negative: " + std::to_string(x));
    sum += x;
  }
  void on_end() override {
    ++ends;
    out.send("sum " + std::to_string(sum));
  }
};

struct counter : tw::stage {
  tw::out<int> out{this, "out"};
  int n = 0;
  int most;
  explicit counter(int m) : most(m) {}
  void on_start() override { n = 0; }
  void on_run() override { n < most ? out.send(n++) : end(); }
};

struct nothing_to_see {
  int x;
};
struct point {
  int x;
  std::string name;
  std::pair<double, std::vector<int>> more;
};
enum class colour { green, red };
struct with_array {
  int all[3];
  int more;
};
struct with_base : nothing_to_see {
  int y;
};
class closed_up {
 public:
  explicit closed_up(int n) : n_(n) {}
  [[nodiscard]] int get() const { return n_; }

 private:
  int n_;
};

// What windows give, without their times.
auto values() {
  return tw::map([](tw::windowed<int> w) { return w.value; });
}

// The text of the failure of a test that must fail.
template <class F> std::string failure_text(F&& test) {
  try {
    test();
  } catch (const tw::test_failure& e) {
    return e.what();
  }
  ADD_FAILURE() << "the test did not fail";
  return {};
}

// --- stages ---

TEST(TestAStage, SendsAndExpectations) {
  splitter s;
  tw::test(s).to(s.numbers).send(1, 2, 3).from(s.even).expect(2).from(s.odd).expect(1, 3);
}

TEST(TestAStage, AnExpectationIsAboutWhatCameSinceTheOneBefore) {
  splitter s;
  tw::test(s)
      .to(s.numbers)
      .send(1, 2)
      .from(s.even)
      .expect(2)
      .expect_nothing()
      .to(s.numbers)
      .send(4, 6)
      .from(s.even)
      .expect(4, 6)
      .from(s.odd)
      .expect(1);
}

TEST(TestAStage, WhatIsSentFromOnePortToTheNextCanBeInterleaved) {
  adder s;
  tw::test(s)
      .to(s.a)
      .send(1, 2)
      .from(s.sum)
      .expect_nothing()
      .to(s.b)
      .send(10)
      .from(s.sum)
      .expect(11)
      .to(s.b)
      .send(20, 30)
      .from(s.sum)
      .expect(22)
      .expect_running()
      .to(s.a)
      .close()
      .expect_ended()
      .to(s.b)
      .expect_left(1);
}

TEST(TestAStage, WhatComesAfterItsEndIsDiscarded) {
  adder s;
  tw::test(s).to(s.a).close().to(s.b).send(1, 2).expect_left(2).from(s.sum).expect_nothing();
}

TEST(TestAStage, HooksAreCalledOnceAndInTheirPlaces) {
  summary s;
  tw::test(s).to(s.in).send(1, 2).from(s.out).expect_nothing().end().expect("sum 3").expect_ended();
  EXPECT_EQ(s.starts, 1);
  EXPECT_EQ(s.ends, 1);
}

TEST(TestAStage, IsStartedAnewInTheNextTest) {
  summary s;
  tw::test(s).to(s.in).send(5).end().from(s.out).expect("sum 5");
  tw::test(s).to(s.in).send(1).end().from(s.out).expect("sum 1");
  EXPECT_EQ(s.starts, 2);
}

TEST(TestAStage, ClosingTheLastInputIsTheEnd) {
  summary s;
  tw::test(s).to(s.in).send(5).close().from(s.out).expect("sum 5");
}

TEST(TestAStage, TheEndComesByItselfAndMustBeExpected) {
  summary s;
  const auto text = failure_text([&] { tw::test(s).to(s.in).send(5).from(s.out).expect_nothing(); });
  EXPECT_THAT(text, AllOf(HasSubstr("summary-0.out"), HasSubstr("1 item"), HasSubstr("\"sum 5\"")));
  EXPECT_EQ(s.ends, 1);
}

TEST(TestAStage, ASourceIsRunToItsEndOrForSoManyItems) {
  counter s(5);
  tw::test(s).run(2).from(s.out).expect(0, 1).expect_running().run().expect(2, 3, 4).expect_ended();
  tw::test(s).run(1).from(s.out).expect(0);  // and is stopped
}

TEST(TestAStage, PortsByName) {
  splitter s;
  tw::test(s).to<int>("numbers").send(1, 2).from<int>("even").expect(2).from<int>("odd").expect(1);
  EXPECT_THAT(([&] {
                try {
                  tw::test(s).to<int>("number").send(1);
                } catch (const tw::error& e) {
                  return std::string(e.what());
                }
                return std::string();
              }()),
              AllOf(HasSubstr("'number'"), HasSubstr("numbers")));
}

MATCHER_P(SaysAtLine, line, "") {
  return arg.find("test_dsl_test.cpp:" + std::to_string(line) + ": ") != std::string::npos;
}

TEST(TestAStage, WrongPortsAndTypesAreFailuresWithTheirPlace) {
  splitter s;
  splitter other;
  EXPECT_THAT(failure_text([&] { tw::test(s).to<int>("number").send(1); }),
              AllOf(SaysAtLine(__LINE__ - 1), HasSubstr("no input 'number' (there are: numbers)")));
  EXPECT_THAT(failure_text([&] { tw::test(s).from<int>("evn").expect(1); }),
              AllOf(SaysAtLine(__LINE__ - 1), HasSubstr("no output 'evn'")));
  EXPECT_THAT(failure_text([&] { tw::test(s).to<std::string>("numbers").send("x"); }),
              AllOf(SaysAtLine(__LINE__ - 1), HasSubstr("of type int, not std::string")));
  EXPECT_THAT(failure_text([&] { tw::test(s).from<double>("even").expect_nothing(); }),
              AllOf(SaysAtLine(__LINE__ - 1), HasSubstr("of type int, not double")));
  EXPECT_THAT(failure_text([&] { tw::test(s).to(other.numbers).send(1); }),
              AllOf(SaysAtLine(__LINE__ - 1), HasSubstr("'numbers' belongs to another stage")));
  EXPECT_THAT(failure_text([&] { tw::test(s).from(other.odd).expect(1); }),
              AllOf(SaysAtLine(__LINE__ - 1), HasSubstr("'odd' belongs to another stage")));
  tw::graph g;
  auto& added = g.add<splitter>();
  EXPECT_THAT(failure_text([&] { tw::test(added).to(added.numbers).send(1); }),
              AllOf(SaysAtLine(__LINE__ - 1), HasSubstr("'splitter-0' is part of a graph")));
}

// Adds up pairs, and wants no more once one side has ended.
struct pairs : tw::stage {
  tw::in<int> left{this, "left"}, right{this, "right"};
  tw::out<int> sum{this, "sum"};
  void on_run() override {
    while (left.available() && right.available()) sum.send(left.take() + right.take());
    if (left.ended() || right.ended()) end();
  }
};

TEST(TestAStage, WhatIsLeftAtAnInputIsAFailure) {
  pairs p;
  const auto leaves_two = [&] {
    tw::test(p).to(p.left).send(1, 2, 3).to(p.right).send(10).from(p.sum).expect(11);
  };
  const int line = __LINE__ - 2;
  EXPECT_THAT(failure_text(leaves_two),
              AllOf(SaysAtLine(line), HasSubstr("input 'pairs-0.left' has 2 items left"),
                    HasSubstr("expect_left(2)")));
  tw::test(p).to(p.left).send(1, 2, 3).to(p.right).send(10).from(p.sum).expect(11).to(p.left).expect_left(2);
  EXPECT_THAT(failure_text([&] { tw::test(p).to(p.left).send(1, 2).expect_left(1); }),
              HasSubstr("expected to have 1 items left, but it has 2"));
  EXPECT_THAT(failure_text([&] {
                tw::test(p)
                    .to(p.left)
                    .send(1)
                    .expect_left(1)
                    .send(2)
                    .to(p.right)
                    .close()
                    .from(p.sum)
                    .expect_nothing();
              }),
              HasSubstr("has 2 items left that the stage has not taken, not 1"));
  // Items that come when it has ended.
  EXPECT_THAT(
      failure_text([&] { tw::test(p).to(p.right).close().to(p.left).send(1).from(p.sum).expect_nothing(); }),
      HasSubstr("input 'pairs-0.left' has 1 item left"));
}

TEST(TestAStage, PortsOfAnotherStageAreRefused) {
  splitter s;
  splitter other;
  EXPECT_THROW(tw::test(s).to(other.numbers).send(1), tw::error);
  EXPECT_THROW(tw::test(s).from(other.even).expect_nothing(), tw::error);
}

TEST(TestAStage, ReadyMadeStages) {
  tw::split<int> s;
  auto& a = s.branch();
  auto& b = s.branch();
  tw::test(s).to(s.in).send(1, 2, 3, 4).from(a).expect(1, 3).from(b).expect(2, 4);
  tw::tee<std::string> t;
  t.branch(1);
  tw::test(t).to(t.in).send("x").from(t.branch(0)).expect("x").from(t.branch(1)).expect("x");
  tw::merge<int> m(std::less<>{});
  auto& first = m.input();
  auto& second = m.input();
  tw::test(m)
      .to(first)
      .send(1, 4, 9)
      .from(m.out)
      .expect_nothing()
      .to(second)
      .send(2, 5)
      .from(m.out)
      .expect(1, 2, 4, 5)
      .to(second)
      .close()
      .from(m.out)
      .expect(9);
}

TEST(TestAStage, WhatCannotBeRunIsAnInvalidJob) {
  tw::split<int> none;
  EXPECT_THROW(tw::test(none), tw::invalid_job);
  tw::merge<int> m(tw::ordered);
  m.input();
  EXPECT_THROW(tw::test(m), tw::error);
}

TEST(TestAStage, OneThatIsInAGraphIsRefused) {
  tw::graph g;
  auto& s = g.add<splitter>();
  g.connect(s.even, g.add(tw::sink([](int) {})).in);
  EXPECT_THROW(tw::test(s), tw::error);
}

TEST(TestAStage, CanBeAddedToAGraphAfterwards) {
  splitter s;
  tw::test(s).to(s.numbers).send(2).from(s.even).expect(2);
  std::vector<int> even;
  std::vector<int> odd;
  tw::graph g;
  g.use(s);
  g.connect(g.add(tw::source(std::vector{1, 2, 3})).out, s.numbers);
  g.connect(s.even, g.add(tw::sink(even)).in);
  g.connect(s.odd, g.add(tw::sink(odd)).in);
  tw::run(g);
  EXPECT_THAT(even, ElementsAre(2));
  EXPECT_THAT(odd, ElementsAre(1, 3));
}

TEST(TestAStage, MoveOnlyItemsAreTaken) {
  struct passing : tw::stage {
    tw::in<std::unique_ptr<int>> in{this, "in"};
    tw::out<std::unique_ptr<int>> out{this, "out"};
    void on_item(tw::in<std::unique_ptr<int>>&, std::unique_ptr<int> p) { out.send(std::move(p)); }
  } s;
  const auto got = tw::test(s).to(s.in).send(std::make_unique<int>(7)).from(s.out).take();
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(*got.front(), 7);
}

TEST(TestAStage, ItemsLeftAtAnInputAreAnError) {
  struct lazy : tw::stage {
    tw::in<int> in{this, "in"};
    void on_run() override {}
  } s;
  tw::test(s).to(s.in).send(1).close().expect_error<tw::error>("leaves items at the input 'in'");
}

// --- errors ---

TEST(TestErrors, AreExpectedByTypeAndText) {
  summary s;
  tw::test(s).to(s.in).send(1, -2, 3).expect_error<std::domain_error>("negative: -2");
  tw::test(s).to(s.in).send(-1).expect_error<std::logic_error>();
  tw::test(s).to(s.in).send(-1).expect_error<tw::stage_error>("summary-0");
  tw::test(s).to(s.in).send(-1).expect_error();
  EXPECT_EQ(s.ends, 0) << "a run that has failed calls no end hooks";
}

TEST(TestErrors, OfAnotherTypeOrTextFail) {
  summary s;
  EXPECT_THAT(failure_text([&] { tw::test(s).to(s.in).send(-1).expect_error<std::out_of_range>(); }),
              AllOf(HasSubstr("std::out_of_range"), HasSubstr("negative: -1")));
  EXPECT_THAT(
      failure_text([&] { tw::test(s).to(s.in).send(-1).expect_error<std::domain_error>("positive"); }),
      AllOf(HasSubstr("positive"), HasSubstr("negative: -1")));
  EXPECT_THAT(failure_text([&] { tw::test(s).to(s.in).send(1).expect_error<std::domain_error>(); }),
              AllOf(HasSubstr("std::domain_error"), HasSubstr("none")));
}

TEST(TestErrors, ThatNobodyExpectsFail) {
  summary s;
  const auto text = failure_text([&] { tw::test(s).to(s.in).send(-1).from(s.out).expect_nothing(); });
  EXPECT_THAT(text, AllOf(HasSubstr("an unexpected error came"), HasSubstr("negative: -1")));
  EXPECT_EQ(text.find("negative: -1"), text.rfind("negative: -1")) << "it is said twice: " << text;
  EXPECT_THAT(failure_text([&] { tw::test(s).to(s.in).send(-1).end().from(s.out).expect("sum 0"); }),
              HasSubstr("negative: -1"));
}

TEST(TestErrors, WhatWasSentBeforeCanBeExpected) {
  const auto apart =
      tw::unbatch() | tw::map([](int x) { return x == 0 ? throw std::domain_error("zero") : 6 / x; });
  tw::test<std::vector<int>>(apart)
      .send(std::vector{1, 2, 0, 3}, std::vector{6})
      .expect(6, 3)
      .expect_error<std::domain_error>("zero");
  struct halfway : splitter {
    void on_start() override {}
    tw::in<int> more{this, "more"};
    void on_item(tw::in<int>&, int x) {
      even.send(x);
      throw std::runtime_error("after it");
    }
  } s;
  tw::test(s).to(s.more).send(1).expect_error("after it").from(s.even).expect(1);
}

TEST(TestErrors, InHooks) {
  struct bad_start : splitter {
    void on_start() override { throw std::runtime_error("no start"); }
  } a;
  tw::test(a).to(a.numbers).send(1).expect_error<std::runtime_error>("no start");
  struct bad_end : splitter {
    void on_end() override { throw std::runtime_error("no end"); }
  } b;
  tw::test(b).to(b.numbers).send(2).from(b.even).expect(2).end().expect_error<std::runtime_error>("no end");
  EXPECT_THAT(failure_text([&] { tw::test(b).to(b.numbers).send(2).from(b.even).expect(2); }),
              HasSubstr("no end"));
}

// --- what a failure says ---

TEST(TestFailures, SayWherePortExpectedGotAndTheFirstDifference) {
  splitter s;
  const auto text =
      failure_text([&] { tw::test(s).to(s.numbers).send(2, 4, 6).from(s.even).expect(2, 5, 6); });
  EXPECT_THAT(text, AllOf(HasSubstr("test_dsl_test.cpp:"), HasSubstr("'splitter-0.even'"),
                          HasSubstr("expected: 2, 5, 6"), HasSubstr("got:      2, 4, 6"),
                          HasSubstr("item 1: 5 was expected, but 4 came")));
}

TEST(TestFailures, MissingAndAdditionalItems) {
  splitter s;
  EXPECT_THAT(failure_text([&] { tw::test(s).to(s.numbers).send(2).from(s.even).expect(2, 4); }),
              HasSubstr("item 1: 4 was expected, but nothing more came"));
  EXPECT_THAT(failure_text([&] { tw::test(s).to(s.numbers).send(2, 4).from(s.even).expect(2); }),
              HasSubstr("item 1: nothing more was expected, but 4 came"));
  EXPECT_THAT(failure_text([&] { tw::test(s).to(s.numbers).send(2).from(s.even).expect_nothing(); }),
              AllOf(HasSubstr("expected to send nothing"), HasSubstr("2")));
}

TEST(TestFailures, AnyOrder) {
  splitter s;
  tw::test(s).to(s.numbers).send(2, 4, 4).from(s.even).expect_in_any_order(4, 2, 4);
  EXPECT_THAT(failure_text(
                  [&] { tw::test(s).to(s.numbers).send(2, 4, 4).from(s.even).expect_in_any_order(4, 2, 2); }),
              AllOf(HasSubstr("missing: 2"), HasSubstr("not expected: 4")));
}

TEST(TestFailures, AForgottenExpectationFails) {
  splitter s;
  EXPECT_THAT(failure_text([&] { tw::test(s).to(s.numbers).send(1); }), HasSubstr("splitter-0.odd"));
  EXPECT_THAT(failure_text([&] { tw::test(s).to(s.numbers).send(1, 2).from(s.odd).expect(1); }),
              AllOf(HasSubstr("splitter-0.even"), HasSubstr("not expected")));
  EXPECT_THAT(failure_text([&] { tw::test(s); }), HasSubstr("nothing was expected"));
  EXPECT_THAT(failure_text([&] { tw::test(tw::filter([](int) { return false; })).send(1); }),
              HasSubstr("nothing was expected"));
}

TEST(TestFailures, WhatIsIgnoredNeedNotBeExpected) {
  splitter s;
  tw::test(s).from(s.odd).ignore().to(s.numbers).send(1, 2, 3).from(s.even).expect(2);
}

TEST(TestFailures, SendingToAClosedInputIsAMistake) {
  splitter s;
  EXPECT_THAT(failure_text([&] { tw::test(s).to(s.numbers).close().send(1); }),
              HasSubstr("splitter-0.numbers"));
}

TEST(TestFailures, LongListsAreCutAroundTheDifference) {
  std::vector<int> sent(1000);
  for (int i = 0; i < 1000; ++i) sent[static_cast<std::size_t>(i)] = 2 * i;
  auto expected = sent;
  expected[700] = 1;
  splitter s;
  const auto text = failure_text([&] { tw::test(s).to(s.numbers).send(sent).from(s.even).expect(expected); });
  EXPECT_THAT(text, AllOf(HasSubstr("item 700: 1 was expected, but 1400 came"), HasSubstr("1398, 1400, 1402"),
                          HasSubstr("1000 items")));
  EXPECT_LT(text.size(), 600U);
}

TEST(TestFailures, AnyItemsCanBeShown) {
  using tw::testing_detail::shown;
  EXPECT_EQ(shown(std::string("a")), "\"a\"");
  EXPECT_EQ(shown(true), "true");
  EXPECT_EQ(shown('c'), "'c'");
  EXPECT_EQ(shown(std::int8_t{-3}), "-3");
  EXPECT_EQ(shown(1.5), "1.5");
  EXPECT_EQ(shown(std::vector{1, 2}), "{1, 2}");
  EXPECT_EQ(shown(std::pair(1, std::string("x"))), "{1, \"x\"}");
  EXPECT_EQ(shown(std::map<int, std::vector<int>>{{1, {2}}}), "{{1, {2}}}");
  EXPECT_EQ(shown(std::optional<int>()), "nothing");
  EXPECT_EQ(shown(std::optional(3)), "3");
  EXPECT_THAT(shown(nothing_to_see{1}), HasSubstr("nothing_to_see"));
  EXPECT_THAT(shown(point{1, "a", {0.5, {2, 3}}}), testing::EndsWith("point{1, \"a\", {0.5, {2, 3}}}"));
  EXPECT_THAT(shown(colour::red), testing::EndsWith("colour(1)"));
  EXPECT_THAT(shown(with_array{}), HasSubstr("which has no operator<<"));
  EXPECT_THAT(shown(with_base{}), HasSubstr("which has no operator<<"));
  EXPECT_THAT(shown(closed_up(3)), HasSubstr("which has no operator<<"));
  EXPECT_EQ(tw::testing_detail::shown_list(std::vector<int>{}), "nothing");
}

TEST(TestFailures, OneTestThatHasFailedIsNotLookedAtAgain) {
  splitter s;
  auto t = tw::test(s);
  t.to(s.numbers).send(1, 2);
  EXPECT_THROW(t.from(s.even).expect(4), tw::test_failure);
}

TEST(TestFailures, ANamedTestIsConcludedByDoneOrAtItsEnd) {
  splitter s;
  auto t = tw::test(s);
  t.to(s.numbers).send(2);
  EXPECT_THROW(t.done(), tw::test_failure);
  EXPECT_THROW(
      {
        auto u = tw::test(s);
        u.to(s.numbers).send(2);
      },
      tw::test_failure);
}

TEST(TestFailures, DoNotHideAnotherException) {
  splitter s;
  EXPECT_THROW(
      {
        auto t = tw::test(s);
        t.to(s.numbers).send(2);
        throw std::length_error("mine");
      },
      std::length_error);
}

// --- patterns ---

TEST(TestAPattern, OneByOne) {
  tw::test(tw::map([](int x) { return 2 * x; })).send(1).expect(2).send(2, 3).expect(4, 6);
  tw::test(tw::filter([](int x) { return x > 1; })).send({1, 2, 3}).expect({2, 3});
  tw::test<int>(tw::map([](auto x) { return x + 0.5; })).send(1).expect(1.5);
}

TEST(TestAPattern, Lines) {
  tw::test(tw::map([](int x) { return std::to_string(x); }) |
           tw::flat_map([](std::string s, tw::emitter<char>& out) {
             for (const char c : s) out.send(c);
           }) |
           tw::farm([](char c) { return c; }, {.replicas = 3}))
      .send(12, 3)
      .expect('1', '2', '3');
}

TEST(TestAPattern, ErasedLinesAndComposites) {
  tw::any_pipeline<int, int> line = tw::map([](int x) { return x + 1; });
  line = std::move(line) | tw::composite("twice", tw::map([](int x) { return 2 * x; }));
  tw::test(line).send(1, 2).expect(4, 6);
}

TEST(TestAPattern, GroupsComeAtTheirEnd) {
  using group = std::vector<int>;
  tw::test<int>(tw::batch(2)).send(1, 2, 3).expect(group{1, 2}).end().expect({{3}});
  EXPECT_THAT(failure_text([] {
                tw::test<int>(tw::batch(2)).send(1, 2, 3).expect(group{1, 2});
              }),
              AllOf(HasSubstr("batch"), HasSubstr("{3}")));
}

TEST(TestAPattern, SinksAreLookedAtByTheTest) {
  std::vector<int> seen;
  tw::test(tw::map([](int x) { return -x; }) | tw::sink(seen)).send(1, 2);
  EXPECT_THAT(seen, ElementsAre(-1, -2));
}

TEST(TestAPattern, Sources) {
  tw::test(tw::source(std::vector{1, 2, 3})).run(2).expect(1, 2).run().expect(3).expect_ended();
  tw::test(tw::source([](tw::emitter<int>& out) {
             out.send(1);
             out.send(2);
           }) |
           tw::map([](int x) { return 10 * x; }))
      .run()
      .expect(10, 20);
  tw::test(tw::source([n = 0]() mutable -> std::optional<int> { return n++; })).run(3).expect(0, 1, 2);
}

TEST(TestAPattern, HooksOfOperators) {
  struct total {
    int sum = 0;
    void operator()(int x, tw::emitter<int>&) { sum += x; }
    void on_end(tw::emitter<int>& out) { out.send(sum); }
  };
  tw::test(tw::flat_map(total{}) | tw::map([](int x) { return x + 1; }))
      .send(1, 2)
      .expect_nothing()
      .end()
      .expect(4);
}

TEST(TestAPattern, ErrorsOfALineNameTheStage) {
  tw::test(
      tw::map([](int x) { return x; }) |
      tw::map([](int x) { return x == 0 ? throw std::domain_error("zero") : 6 / x; }, {.name = "divide"}))
      .send(3, 0)
      .expect(2)
      .expect_error<tw::stage_error>("divide");
}

TEST(TestAPattern, ErrorPoliciesWorkAndRetriesWaitInVirtualTime) {
  int calls = 0;
  auto once_in_two = tw::map(
      [&](int x) {
        if (++calls % 2 == 1) throw std::runtime_error("again");
        return x;
      },
      {.on_error = tw::retry(3, 1h)});
  const auto begin = std::chrono::steady_clock::now();
  tw::test(once_in_two).send(1, 2).expect(1, 2);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1min);
  EXPECT_EQ(calls, 4);
}

TEST(TestAPattern, OptionsThatMakeNoSenseAreAnInvalidJob) {
  EXPECT_THROW(tw::test(tw::map([](int x) { return x; }, {.replicas = 2})), tw::invalid_job);
  EXPECT_THROW(tw::test<int>(tw::batch(0)), tw::invalid_job);
}

TEST(TestAPattern, TheSameAsARun) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<int> items(random() % 50);
    for (auto& x : items) x = static_cast<int>(random() % 100);
    const auto size = static_cast<std::int64_t>(1 + random() % 7);
    auto line = tw::filter([](int x) { return x % 3 != 0; }) | tw::batch(size) |
                tw::farm([](std::vector<int> v) { return v; }, {.replicas = 2}) | tw::unbatch() |
                tw::flat_map([](int x, tw::emitter<int>& out) {
                  for (int i = 0; i < x % 4; ++i) out.send(x);
                });
    std::vector<int> seen;
    tw::run(tw::source(items) | line | tw::sink(seen), tw::sequential{});
    tw::test<int>(line).send(items).end().expect(seen);
  }
}

// --- time ---

TEST(TestTime, IntervalsPassWithoutWaiting) {
  const auto begin = std::chrono::steady_clock::now();
  tw::test<int>(tw::batch(10, 1h))
      .send(1, 2)
      .advance(59min)
      .expect_nothing()
      .send(3)
      .advance(1min)
      .expect({{1, 2, 3}})
      .at(2h)
      .send(4)
      .at(3h - 1ns)
      .expect_nothing()
      .at(3h)
      .expect({{4}});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1min);
}

TEST(TestTime, WindowsByProcessingTime) {
  tw::test<int>(tw::window(tw::tumbling(10s), tw::sum_of()) | values())
      .at(1s)
      .send(1, 2)
      .at(9s)
      .send(3)
      .expect_nothing()
      .at(10s)
      .expect(6)
      .at(12s)
      .send(4)
      .at(35s)
      .send(5)
      .expect(4)
      .end()
      .expect(5);
}

TEST(TestTime, SessionsByProcessingTime) {
  tw::test<int>(tw::window(tw::session(5s), tw::sum_of()) | values())
      .send(1)
      .advance(4s)
      .send(2)
      .advance(4s)
      .expect_nothing()
      .advance(1s)
      .expect(3);
}

TEST(TestTime, WhatIsDueComesInItsOrder) {
  // Two groups in a row: the first feeds the second, whose interval begins when it gets something.
  tw::test<int>(tw::batch(9, 2s) | tw::batch(9, 3s))
      .send(1)
      .advance(4s)
      .expect_nothing()
      .advance(1s)
      .expect({{{1}}});
}

TEST(TestTime, PacedSources) {
  auto every_second = tw::paced([n = 0]() mutable { return n < 5 ? std::optional(n++) : std::nullopt; }, 1.0);
  tw::test(every_second)
      .advance(0s)
      .expect(0)
      .at(999ms)
      .expect_nothing()
      .at(2s)
      .expect(1, 2)
      .expect_running()
      .at(1h)
      .expect(3, 4)
      .expect_ended();
  tw::test(every_second | tw::batch(9, 1500ms))
      .at(1400ms)
      .expect_nothing()
      .at(1500ms)
      .expect({{0, 1}})
      .run()
      .expect({{2, 3}, {4}});
}

TEST(TestTime, DoesNotGoBack) {
  EXPECT_THROW(tw::test<int>(tw::batch(2)).at(2s).at(1s), tw::test_failure);
  EXPECT_THROW(tw::test<int>(tw::batch(2)).advance(-1ns), tw::test_failure);
}

}  // namespace
