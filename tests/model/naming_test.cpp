#include <thalweg/thalweg.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/failure.hpp"

namespace tw = thalweg;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

namespace {

template <class Job> std::vector<std::string> names_of(const Job& job) {
  const auto plan = tw::run_detail::plan_of(job);
  std::vector<std::string> names;
  for (const auto& c : plan.components) {
    for (const auto& s : c->stages()) names.push_back(s.name);
  }
  return names;
}

auto source() {
  return tw::source(std::vector{1, 2, 3});
}
auto same(std::string name = {}) {
  return tw::map([](int x) { return x; }, {.name = std::move(name)});
}
auto sink() {
  return tw::sink([](int) {});
}

TEST(Naming, UnnamedStagesAreCalledAfterPatternAndPosition) {
  EXPECT_THAT(names_of(source() | same() | tw::filter([](int) { return true; }) |
                       tw::flat_map([](int x, tw::emitter<int>& out) { out(x); }) | tw::batch(2) |
                       tw::unbatch() | sink()),
              ElementsAre("source", "map-1", "filter-2", "flat_map-3", "batch-4", "unbatch-5", "sink-6"));
}

TEST(Naming, AGivenNameIsKept) {
  EXPECT_THAT(names_of(source() | same("double") | same() | sink()),
              ElementsAre("source", "double", "map-2", "sink-3"));
}

TEST(Naming, NamesAreAPathThroughCompositesAndFarms) {
  const auto compress = tw::composite("archive", same("compress") | same("write"));
  EXPECT_THAT(names_of(source() | compress | tw::farm(same("a") | same(), {.name = "shop"}) |
                       tw::composite("outer", tw::composite("inner", same("deep"))) | sink()),
              ElementsAre("source", "archive/compress", "archive/write", "shop/a", "shop/map-1",
                          "outer/inner/deep", "sink-4"));
}

TEST(Naming, AFarmOfOneStageGivesItItsName) {
  EXPECT_THAT(names_of(source() | tw::farm([](int x) { return x; }, {.name = "work"}) | sink()),
              ElementsAre("source", "work", "sink-2"));
  // The stage's own name is nearer.
  EXPECT_THAT(names_of(source() | tw::farm(same("own"), {.name = "farm"}) | sink()),
              ElementsAre("source", "own", "sink-2"));
}

TEST(Naming, AFarmOfAFarmOfOneStageGivesItItsName) {
  EXPECT_THAT(names_of(source() | tw::farm(tw::farm(same()), {.name = "outer"}) | sink()),
              ElementsAre("source", "outer", "sink-2"));
  EXPECT_THAT(names_of(source() | tw::farm(tw::farm(same(), {.name = "inner"}), {.name = "outer"}) | sink()),
              ElementsAre("source", "inner", "sink-2"));
}

TEST(Naming, AFarmWithoutANameIsNoScope) {
  EXPECT_THAT(names_of(source() | tw::farm(same("a") | same("b")) | sink()),
              ElementsAre("source", "a", "b", "sink-3"));
}

TEST(Naming, APipelineUsedTwiceGetsANumber) {
  const auto part = tw::composite("part", same("x") | same("y"));
  EXPECT_THAT(
      names_of(source() | part | part | part | sink()),
      ElementsAre("source", "part/x", "part/y", "part#2/x", "part#2/y", "part#3/x", "part#3/y", "sink-4"));
}

TEST(Naming, ThePathNamesTheStageInReportsAndErrors) {
  const auto part = tw::composite("part", tw::map([](int x) { return x; }, {.name = "x"}));
  const auto r = tw::run(source() | part | part | sink());
  EXPECT_EQ(r.stage("part/x").items_in(), 3U);
  EXPECT_EQ(r.stage("part#2/x").items_in(), 3U);
  const auto bad =
      tw::composite("part", tw::map([](int) -> int { throw std::runtime_error("no"); }, {.name = "bad"}));
  EXPECT_EQ(failure_of([&] { tw::run(source() | part | bad | sink()); }).stage, "part#2/bad");
}

TEST(Naming, TheSameNameInTwoScopesIsFine) {
  EXPECT_THAT(
      names_of(source() | same("x") | tw::composite("a", same("x")) | tw::composite("b", same("x")) | sink()),
      ElementsAre("source", "x", "a/x", "b/x", "sink-4"));
}

TEST(Naming, TheSameNameTwiceInOneScopeIsRefused) {
  EXPECT_THAT(problems_of([] { tw::run(source() | same("x") | same("x") | sink()); }),
              ElementsAre(AllOf(HasSubstr("'x'"), HasSubstr("twice"))));
  EXPECT_THAT(
      problems_of([] { tw::run(source() | tw::composite("a", same("x") | tw::farm(same("x"))) | sink()); }),
      ElementsAre(AllOf(HasSubstr("'a/x'"), HasSubstr("twice"))));
}

TEST(Naming, ASlashInANameIsRefused) {
  EXPECT_THAT(problems_of([] { tw::run(source() | same("a/b") | sink()); }),
              ElementsAre(AllOf(HasSubstr("'a/b'"), HasSubstr("'/'"))));
}

TEST(Naming, ASlashInTheNameOfAScopeIsRefused) {
  EXPECT_THAT(problems_of([] { tw::run(source() | tw::composite("a/b", same("c")) | sink()); }),
              ElementsAre(AllOf(HasSubstr("a/b"), HasSubstr("'/'"))));
}

TEST(Naming, AScopeMayNotTakeTheNameOfAStage) {
  // `x` and `x/y` would both answer to the name x.
  EXPECT_THAT(problems_of([] { tw::run(source() | same("x") | tw::composite("x", same("y")) | sink()); }),
              ElementsAre(HasSubstr("'x'")));
}

TEST(Naming, ACompositeMustHaveAName) {
  EXPECT_THAT(problems_of([] { tw::run(source() | tw::composite("", same("c")) | sink()); }),
              ElementsAre(HasSubstr("has no name")));
}

TEST(Naming, ACompositeUsedTwiceIsNumbered) {
  const auto twice = tw::composite("part", same("x"));
  EXPECT_THAT(names_of(source() | twice | twice | sink()), Contains("part#2/x"));
}

TEST(Naming, AllProblemsAreReportedAtOnce) {
  const auto problems = problems_of([] {
    tw::run(source() | same("x") | same("x") | tw::farm(same("f"), {.replicas = 0}) |
            tw::map([](int x) { return x; }, {.capacity = 0, .name = "g"}) | sink());
  });
  EXPECT_THAT(problems, UnorderedElementsAre(HasSubstr("'x'"), HasSubstr("'f'"), HasSubstr("'g'")));
}

}  // namespace
