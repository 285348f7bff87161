// Error policies of stages with ports: what fails is passed over, tried again, handed on or decided on.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/policies.hpp"

namespace tw = thalweg;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class GraphOnError : public under_every_policy {};
FOR_EVERY_POLICY(GraphOnError);

std::vector<int> numbers(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 1);
  return all;
}

/// Fails for every third item, `fails` times; before or behind what it sends.
struct picky : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<int> out{this, "out"};
  int fails;
  bool sends_first;
  int failed = 0;
  int calls = 0;

  explicit picky(int times = 1'000'000, bool first = false) : fails(times), sends_first(first) {}
  void on_item(tw::in<int>&, int x) {
    ++calls;
    if (sends_first) out.send(x);
    if (x % 3 == 0 && failed < fails) {
      ++failed;
      throw std::runtime_error("no " + std::to_string(x));
    }
    failed = 0;
    if (!sends_first) out.send(x);
  }
};

/// The same, but it reads its port when it likes.
struct picky_reader : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<int> out{this, "out"};
  int early = 0;  // failures before it takes
  int calls = 0;

  void on_run() override {
    if (!in.available()) return;
    ++calls;
    if (in.front() % 5 == 0 && ++early % 2 == 1) throw std::runtime_error("not yet");
    const int x = in.take();
    if (x % 3 == 0) throw std::runtime_error("no threes");
    out.send(x);
  }
};

template <class S> struct job {
  tw::graph g;
  S* stage = nullptr;
  std::vector<int> seen;

  template <class... A> explicit job(int n, const tw::error_policy& policy, A&&... args) {
    stage = &g.configure(g.add<S>(std::forward<A>(args)...), {.on_error = policy, .name = "picky"});
    g.connect(g.add(tw::source(numbers(n))).out, stage->in);
    g.connect(stage->out, g.add(tw::sink(seen)).in);
  }
};

std::vector<int> without_threes(int n) {
  auto all = numbers(n);
  std::erase_if(all, [](int x) { return x % 3 == 0; });
  return all;
}

TEST_P(GraphOnError, SkipPassesOverAnItem) {
  job<picky> j(100, tw::skip);
  const auto r = tw::run(j.g, policy());
  EXPECT_EQ(j.seen, without_threes(100));
  EXPECT_EQ(r.stage("picky").skipped(), 33U);
  EXPECT_EQ(r.stage("picky").errors(), 33U);
  EXPECT_EQ(r.stage("picky").items_in(), 100U);
  EXPECT_EQ(r.stage("picky").items_out(), 67U);
}

TEST_P(GraphOnError, RetryTriesTheItemAgain) {
  job<picky> j(30, tw::retry(2), 2);
  const auto r = tw::run(j.g, policy());
  EXPECT_EQ(j.seen, numbers(30));
  EXPECT_EQ(r.stage("picky").retries(), 20U);
  EXPECT_EQ(j.stage->calls, 50);
}

TEST_P(GraphOnError, WhatHasSentIsNotTriedAgain) {
  job<picky> j(10, tw::retry(5).then(tw::skip), 1'000'000, true);
  const auto r = tw::run(j.g, policy());
  EXPECT_EQ(j.seen, numbers(10));  // what was sent has gone
  EXPECT_EQ(r.stage("picky").retries(), 0U);
  EXPECT_EQ(r.stage("picky").skipped(), 3U);
  EXPECT_EQ(j.stage->calls, 10);
}

TEST_P(GraphOnError, RetryWithoutMoreEndsTheRun) {
  job<picky> j(10, tw::retry(5), 1'000'000, true);
  EXPECT_THROW(tw::run(j.g, policy()), tw::stage_error);
  EXPECT_EQ(j.stage->calls, 3);
}

TEST_P(GraphOnError, DeadLettersAreHandedOn) {
  std::vector<int> refused;
  job<picky> j(20, tw::dead_letter([&](const int& x, std::exception_ptr) { refused.push_back(x); }));
  const auto r = tw::run(j.g, policy());
  EXPECT_EQ(j.seen, without_threes(20));
  EXPECT_THAT(refused, ElementsAre(3, 6, 9, 12, 15, 18));
  EXPECT_EQ(r.stage("picky").dead_lettered(), 6U);
}

TEST_P(GraphOnError, AHandlerDecides) {
  std::vector<std::string> told;
  job<picky> j(12, tw::decide([&](const tw::failure& f) -> tw::error_policy {
                 told.push_back(std::string(f.stage()) + " " + std::to_string(*f.item<int>()) + " " +
                                std::to_string(f.tries()) + " " + f.message());
                 EXPECT_EQ(f.item<long>(), nullptr);
                 if (*f.item<int>() == 3) return tw::retry(2);
                 if (*f.item<int>() == 6) return tw::skip;
                 return tw::stop;
               }),
               2);
  try {
    tw::run(j.g, policy());
    FAIL() << "the handler has said that the run ends";
  } catch (const tw::stage_error& e) {
    EXPECT_STREQ(e.what(), "stage 'picky': no 9");
  }
  EXPECT_THAT(told, ElementsAre("picky 3 1 no 3", "picky 6 1 no 6", "picky 9 1 no 9"));
}

TEST_P(GraphOnError, AStageThatReadsItsPorts) {
  job<picky_reader> j(60, tw::retry(1).then(tw::skip));
  const auto r = tw::run(j.g, policy());
  EXPECT_EQ(j.seen, without_threes(60));
  EXPECT_EQ(r.stage("picky").retries(), 12U);  // where it had taken nothing
  EXPECT_EQ(r.stage("picky").skipped(), 20U);
}

/// Gives 1, 2, ... and fails at every fourth.
struct source_that_fails : tw::stage {
  tw::out<int> out{this, "out"};
  int next = 0;
  void on_run() override {
    if (++next > 20) return end();
    if (next % 4 == 0) throw std::runtime_error("no fours");
    out.send(next);
  }
};

TEST_P(GraphOnError, ASource) {
  tw::graph g;
  auto& s = g.configure(g.add<source_that_fails>(), {.on_error = tw::skip, .name = "s"});
  std::vector<int> seen;
  g.connect(s.out, g.add(tw::sink(seen)).in);
  const auto r = tw::run(g, policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19));
  EXPECT_EQ(r.stage("s").skipped(), 5U);
}

TEST_P(GraphOnError, TheRunHasADefault) {
  tw::graph g;
  auto& mine = g.configure(g.add<picky>(), {.on_error = tw::skip, .name = "mine"});
  auto& strict = g.configure(g.add<picky>(), {.on_error = tw::stop, .name = "strict"});
  auto& none = g.configure(g.add<picky>(), {.name = "none"});
  std::vector<int> seen;
  const auto line = g.add(
      tw::map([](int x) { return x == 4 ? throw std::runtime_error("no four") : x; }, {.name = "line"}));
  g.connect(g.add(tw::source(numbers(10))).out, line.in);
  g.connect(line.out, none.in);
  g.connect(none.out, mine.in);
  g.connect(mine.out, strict.in);
  g.connect(strict.out, g.add(tw::sink(seen)).in);
  std::atomic<int> decided{0};
  const auto r = tw::run(g, policy(), {.on_error = tw::decide([&](const tw::failure&) {
                                         ++decided;
                                         return tw::skip;
                                       })});
  EXPECT_THAT(seen, ElementsAre(1, 2, 5, 7, 8, 10));
  EXPECT_EQ(decided, 4);
  EXPECT_EQ(r.stage("line").skipped(), 1U);
  EXPECT_EQ(r.stage("none").skipped(), 3U);
  EXPECT_EQ(r.stage("mine").errors(), 0U);

  // What says that it ends the run is not overruled.
  tw::graph h;
  auto& s = h.configure(h.add<picky>(), {.on_error = tw::stop, .name = "strict"});
  h.connect(h.add(tw::source(numbers(10))).out, s.in);
  h.connect(s.out, h.add(tw::sink([](int) {})).in);
  EXPECT_THROW(tw::run(h, policy(), {.on_error = tw::skip}), tw::stage_error);
}

TEST_P(GraphOnError, OrderBehindASplitIsKept) {
  tw::graph g;
  auto& split = g.add<tw::split<int>>();
  auto& merge = g.add<tw::merge<int>>(tw::ordered);
  std::vector<int> seen;
  g.connect(g.add(tw::source(numbers(300))).out, split.in);
  for (int i = 0; i < 3; ++i) {
    auto& p = g.configure(g.add<picky>(), {.on_error = tw::skip});
    g.connect(split.branch(), p.in);
    g.connect(p.out, merge.input());
  }
  g.connect(merge.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  EXPECT_EQ(seen, without_threes(300));
}

TEST_P(GraphOnError, AStageThatIsPartOfALine) {
  std::vector<int> seen;
  const auto r =
      tw::run(tw::source(numbers(30)) |
                  tw::farm(tw::own_stage(&picky::in, &picky::out, [] { return std::make_unique<picky>(); }),
                           {.replicas = 2, .on_error = tw::skip, .name = "own"}) |
                  tw::sink(seen),
              policy());
  EXPECT_EQ(seen, without_threes(30));
  EXPECT_EQ(r.stage("own").skipped(), 10U);
}

struct two_types : tw::stage {
  tw::in<int> a{this, "a"};
  tw::in<std::string> b{this, "b"};
  void on_item(tw::in<int>&, int) {}
  void on_item(tw::in<std::string>&, std::string) {}
};

std::string problem_of(tw::graph& g) {
  try {
    tw::run(g);
  } catch (const tw::invalid_job& e) {
    return e.what();
  }
  return "none";
}

TEST(GraphOnErrorMistakes, WhatAStageCannotHave) {
  {
    tw::graph g;
    auto& t = g.configure(g.add<two_types>(), {.on_error = tw::dead_letter([](int, std::exception_ptr) {})});
    g.connect(g.add(tw::source(numbers(1))).out, t.a);
    g.connect(g.add(tw::source(std::vector<std::string>{"x"})).out, t.b);
    EXPECT_THAT(problem_of(g), HasSubstr("items of several types"));
  }
  {
    job<picky> j(1, tw::dead_letter([](const std::string&, std::exception_ptr) {}));
    EXPECT_THAT(problem_of(j.g), HasSubstr("takes std::string, but its items are int"));
  }
  {
    job<picky> j(1, tw::decide(std::function<tw::error_policy(const tw::failure&)>{}));
    EXPECT_THAT(problem_of(j.g), HasSubstr("the handler of tw::decide is null"));
  }
  struct eater : tw::stage {
    tw::in<std::unique_ptr<int>> in{this, "in"};
    void on_item(tw::in<std::unique_ptr<int>>&, std::unique_ptr<int>) {}
  };
  tw::graph g;
  auto& e = g.configure(g.add<eater>(), {.on_error = tw::skip});
  g.connect(g.add(tw::source([n = 0]() mutable -> std::optional<std::unique_ptr<int>> {
               if (n == 3) return {};
               return std::make_unique<int>(n++);
             })).out,
            e.in);
  EXPECT_THAT(problem_of(g), HasSubstr("cannot be copied, so .on_error can only be tw::stop"));
}

}  // namespace
