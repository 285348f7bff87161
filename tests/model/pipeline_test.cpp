#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/policies.hpp"

namespace tw = thalweg;
using testing::ElementsAre;

// Names that the library uses for itself, and templates that take whatever they are given.
namespace greedy {

template <std::size_t, class Anything> int get(Anything&&) {
  return 0;
}
template <class... Anything> int joined(Anything&&...) {
  return 0;
}
template <class... Anything> int unpack(Anything&&...) {
  return 0;
}

struct item {
  int x;
};
struct negate {
  item operator()(item i) const { return {-i.x}; }
};

}  // namespace greedy

namespace {

TEST(Pipeline, NamesInTheNamespaceOfAnOperatorDoNotMatter) {
  int sum = 0;
  tw::run(tw::source(std::vector<greedy::item>{{1}, {2}}) | tw::map(greedy::negate{}) |
          tw::farm(greedy::negate{}) | tw::sink([&](greedy::item i) { sum += i.x; }));
  EXPECT_EQ(sum, 3);
}

TEST(Pipeline, KnowsItsEnds) {
  const auto source = tw::source(std::vector{1});
  const auto map = tw::map([](int x) { return x; });
  const auto sink = tw::sink([](int) {});
  using s = std::remove_const_t<decltype(source)>;
  using m = std::remove_const_t<decltype(map)>;
  using e = std::remove_const_t<decltype(sink)>;
  static_assert(s::has_source && !s::has_sink && !s::is_job);
  static_assert(!m::has_source && !m::has_sink);
  static_assert(!e::has_source && e::has_sink);
  using job = decltype(source | map | sink);
  static_assert(job::is_job && job::length == 3);
  static_assert(tw::runnable<job>);
  static_assert(!tw::runnable<int>);
  SUCCEED();
}

TEST(Pipeline, KnowsWhatItAcceptsAndProduces) {
  const auto line = tw::map([](int x) { return std::to_string(x); }) |
                    tw::filter([](const std::string& s) { return !s.empty(); }) | tw::batch(2);
  using type = std::remove_const_t<decltype(line)>;
  static_assert(type::accepts<int>);
  static_assert(type::accepts<short>);
  static_assert(!type::accepts<std::string>);
  static_assert(std::is_same_v<type::output<int>, std::vector<std::string>>);
  SUCCEED();
}

class PipelineValues : public under_every_policy {};
FOR_EVERY_POLICY(PipelineValues);

auto doubled_and_even() {
  return tw::map([](int x) { return 2 * x; }) | tw::filter([](int x) { return x % 4 == 0; });
}

TEST_P(PipelineValues, APartCanBeBuiltInAFunctionStoredAndUsedInSeveralJobs) {
  const auto part = doubled_and_even();
  std::vector<int> first;
  std::vector<int> second;
  tw::run(tw::source(std::vector{1, 2, 3, 4}) | part | tw::sink(first), policy());
  tw::run(tw::source(std::vector{6, 7}) | part | part | tw::sink(second), policy());
  EXPECT_THAT(first, ElementsAre(4, 8));
  EXPECT_THAT(second, ElementsAre(24));
}

TEST_P(PipelineValues, PartsJoinInAnyGrouping) {
  const auto add = tw::map([](int x) { return x + 1; });
  const auto twice = tw::map([](int x) { return 2 * x; });
  std::vector<int> a;
  std::vector<int> b;
  tw::run(((tw::source(std::vector{1, 2}) | add) | twice) | tw::sink(a), policy());
  tw::run(tw::source(std::vector{1, 2}) | (add | (twice | tw::sink(b))), policy());
  EXPECT_THAT(a, ElementsAre(4, 6));
  EXPECT_EQ(a, b);
}

TEST_P(PipelineValues, PartsCanBeStoredInAStructure) {
  std::map<std::string, tw::any_pipeline<int, int>> parts;
  parts.emplace("add", tw::map([](int x) { return x + 1; }));
  parts.emplace("even", tw::filter([](int x) { return x % 2 == 0; }));
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) | parts.at("add") | parts.at("even") | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre(2, 4));
}

TEST_P(PipelineValues, LinesWithAPipelineBehindEveryKindOfStage) {
  std::vector<std::size_t> seen;
  tw::run(tw::source(std::vector<std::string>{"a b", "", "c d e"}) |
              tw::flat_map([](const std::string& line, tw::emitter<std::string>& words) {
                std::string word;
                for (const char c : line + " ") {
                  if (c != ' ') {
                    word += c;
                  } else if (!word.empty()) {
                    words(std::exchange(word, {}));
                  }
                }
              }) |
              tw::batch(2) | tw::map([](const std::vector<std::string>& v) { return v.size(); }) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(2, 2, 1));
}

// --- composites cost nothing ---

template <class Job> tw::model::plan plan_of(const Job& job) {
  return tw::run_detail::plan_of(job);
}

TEST(Composite, IsFlattenedToTheSameLoops) {
  const auto a = tw::map([](int x) { return x + 1; });
  const auto b = tw::filter([](int x) { return x > 0; });
  const auto flat = plan_of(tw::source(std::vector{1}) | a | b | tw::sink([](int) {}));
  const auto nested = plan_of(tw::source(std::vector{1}) |
                              tw::composite("outer", tw::composite("inner", a) | tw::composite("other", b)) |
                              tw::sink([](int) {}));
  ASSERT_EQ(flat.components.size(), 1U);
  ASSERT_EQ(nested.components.size(), 1U);
  EXPECT_EQ(flat.components[0]->compiled(), nested.components[0]->compiled());
  const auto ranges = nested.components[0]->compiled();
  EXPECT_NE(std::find(ranges.begin(), ranges.end(), tw::model::range{0, 4}), ranges.end())
      << "the whole line must exist as one loop";
}

TEST(Composite, MayHoldTheSourceOrTheSink) {
  std::vector<int> seen;
  const auto in = tw::composite(
      "in", tw::source(std::vector{1, 2}, {.name = "read"}) | tw::map([](int x) { return -x; }));
  const auto out =
      tw::composite("out", tw::map([](int x) { return x * 10; }) | tw::sink(seen, {.name = "write"}));
  const auto r = tw::run(in | out);
  EXPECT_THAT(seen, ElementsAre(-10, -20));
  EXPECT_EQ(r.stage("in/read").items_out(), 2U);
  EXPECT_EQ(r.stage("out/write").items_in(), 2U);
}

TEST(Composite, MayBeAWholeJob) {
  int sum = 0;
  const auto job = tw::composite("all", tw::source(std::vector{1, 2}) | tw::sink([&](int x) { sum += x; }));
  EXPECT_EQ(tw::run(job).items(), 2U);
  EXPECT_EQ(sum, 3);
}

TEST(Composite, MayStandInAFarm) {
  std::vector<int> seen;
  const auto part = tw::composite("part", tw::map([](int x) { return x + 1; }, {.name = "add"}) |
                                              tw::map([](int x) { return x * 2; }, {.name = "double"}));
  const auto r = tw::run(tw::source(std::vector{1, 2, 3}) | tw::farm(part, {.replicas = 2}) | tw::sink(seen));
  EXPECT_THAT(seen, ElementsAre(4, 6, 8));
  EXPECT_EQ(r.stage("part/add").replicas(), 2);
  EXPECT_EQ(r.stage("part/double").items_in(), 3U);
}

TEST(Composite, MayHoldAFarm) {
  std::vector<int> seen;
  const auto part =
      tw::composite("part", tw::map([](int x) { return x + 1; }) |
                                tw::farm(tw::map([](int x) { return x * 2; }), {.replicas = 3, .name = "f"}));
  const auto r = tw::run(tw::source(std::vector{1, 2, 3}) | part | tw::sink(seen));
  EXPECT_THAT(seen, ElementsAre(4, 6, 8));
  EXPECT_EQ(r.stage("part/f").replicas(), 3);
}

}  // namespace
