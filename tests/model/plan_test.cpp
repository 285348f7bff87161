// The checks before a run, and the job as a picture.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

auto source() {
  return tw::source(std::vector{1, 2, 3});
}
auto same(tw::options o = {}) {
  return tw::map([](int x) { return x; }, std::move(o));
}
auto sink(tw::options o = {}) {
  return tw::sink([](int) {}, std::move(o));
}

// What is wrong with a job of one stage between source and sink.
template <class Middle> std::vector<std::string> problems_with(Middle middle) {
  return problems_of([&] { tw::run(source() | std::move(middle) | sink()); });
}

TEST(Checks, ReplicasMustBePositive) {
  EXPECT_THAT(problems_with(tw::farm(same(), {.replicas = 0, .name = "f"})),
              ElementsAre(AllOf(HasSubstr("'f'"), HasSubstr("at least 1"), HasSubstr("not 0"))));
  EXPECT_THAT(problems_with(tw::farm(same(), {.replicas = -3, .name = "f"})),
              ElementsAre(AllOf(HasSubstr("'f'"), HasSubstr("not -3"))));
  EXPECT_THAT(problems_with(tw::farm(tw::farm(same(), {.replicas = 0}), {.replicas = 2})),
              ElementsAre(HasSubstr("at least 1")));
  EXPECT_THAT(problems_with(tw::farm(tw::farm(same(), {.replicas = -2}), {.replicas = -2})),
              ElementsAre(HasSubstr("not -2"), HasSubstr("not -2")));
}

TEST(Checks, EachBadFarmIsReportedOnce) {
  EXPECT_THAT(
      problems_with(tw::farm(same({.name = "a"}) | same({.name = "b"}), {.replicas = 0, .name = "f"})),
      ElementsAre(HasSubstr("at least 1")));
}

TEST(Checks, ASerialStageHasNoReplicas) {
  EXPECT_THAT(problems_with(same({.replicas = 2, .name = "m"})),
              ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr("serial"), HasSubstr("tw::farm"))));
  EXPECT_THAT(problems_with(same({.replicas = 0, .name = "m"})), ElementsAre(HasSubstr("at least 1")));
}

TEST(Checks, TheReplicasOfAFarmAreGivenToTheFarm) {
  EXPECT_THAT(problems_with(tw::farm(same({.replicas = 2, .name = "m"}))),
              ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr("tw::farm"))));
  EXPECT_THAT(problems_with(tw::farm(same({.unordered = true, .name = "m"}))),
              ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr(".unordered"))));
}

TEST(Checks, OptionsThatWouldDoNothingAreRefused) {
  EXPECT_THAT(problems_with(same({.unordered = true, .name = "m"})),
              ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr(".unordered"))));
  EXPECT_THAT(problems_with(same({.name = "m", .schedule = tw::round_robin})),
              ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr(".schedule"))));
  EXPECT_THAT(problems_of([] { tw::run(tw::source(std::vector{1}, {.capacity = 4, .name = "s"}) | sink()); }),
              ElementsAre(AllOf(HasSubstr("'s'"), HasSubstr(".capacity"))));
}

TEST(Checks, CapacityMustBePositive) {
  EXPECT_THAT(problems_with(same({.capacity = 0, .name = "m"})),
              ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr(".capacity"), HasSubstr("not 0"))));
  EXPECT_THAT(problems_with(same({.capacity = -1})), ElementsAre(HasSubstr("not -1")));
  EXPECT_THAT(problems_with(tw::farm(same(), {.capacity = 0})), ElementsAre(HasSubstr(".capacity")));
}

TEST(Checks, NullCallablesAreRefused) {
  int (*no_function)(int) = nullptr;
  EXPECT_THAT(problems_with(tw::map(no_function, {.name = "m"})),
              ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr("null"))));
  EXPECT_THAT(problems_with(tw::map(std::function<int(int)>())), ElementsAre(HasSubstr("null")));
  EXPECT_THAT(problems_with(tw::filter(std::function<bool(int)>())), ElementsAre(HasSubstr("null")));
  EXPECT_THAT(problems_with(tw::flat_map(std::function<void(int, tw::emitter<int>&)>())),
              ElementsAre(HasSubstr("null")));
  EXPECT_THAT(problems_with(tw::farm(std::function<int(int)>())), ElementsAre(HasSubstr("null")));
  EXPECT_THAT(problems_with(tw::farm(no_function)), ElementsAre(HasSubstr("null")));
  EXPECT_THAT(problems_of([] { tw::run(tw::source(std::function<std::optional<int>()>()) | sink()); }),
              ElementsAre(AllOf(HasSubstr("'source'"), HasSubstr("null"))));
  EXPECT_THAT(problems_of([] { tw::run(tw::source(std::function<void(tw::emitter<int>&)>()) | sink()); }),
              ElementsAre(AllOf(HasSubstr("'source'"), HasSubstr("null"))));
  EXPECT_THAT(problems_of([] { tw::run(source() | tw::sink(std::function<void(int)>())); }),
              ElementsAre(AllOf(HasSubstr("'sink-1'"), HasSubstr("null"))));
  EXPECT_THAT(problems_of([] { tw::run(tw::paced(std::function<std::optional<int>()>(), 1000.0) | sink()); }),
              ElementsAre(HasSubstr("null")));
}

TEST(Checks, NullFactoriesDeadLetterHandlersAndRoutersAreRefused) {
  EXPECT_THAT(
      problems_with(tw::farm(tw::per_replica(std::function<std::function<int(int)>()>()), {.name = "f"})),
      ElementsAre(AllOf(HasSubstr("'f'"), HasSubstr("null"))));
  EXPECT_THAT(
      problems_with(same(
          {.on_error = tw::dead_letter(std::function<void(const int&, std::exception_ptr)>()), .name = "m"})),
      ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr("dead_letter"), HasSubstr("null"))));
  EXPECT_THAT(problems_with(tw::farm(
                  same(), {.name = "f",
                           .schedule = tw::route(std::function<std::size_t(const int&, std::size_t)>())})),
              ElementsAre(AllOf(HasSubstr("'f'"), HasSubstr("route"), HasSubstr("null"))));
}

TEST(Checks, PinNamesProcessors) {
  EXPECT_THAT(problems_with(same({.pin = {-1}, .name = "m"})),
              ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr("-1"))));
}

TEST(Checks, RetriesAndDelaysMustNotBeNegative) {
  EXPECT_THAT(problems_with(same({.on_error = tw::retry(-1), .name = "m"})),
              ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr("-1"))));
  EXPECT_THAT(problems_with(same({.on_error = tw::retry(1, std::chrono::milliseconds(-1))})),
              ElementsAre(HasSubstr("negative delay")));
}

TEST(Checks, ADeadLetterHandlerMustTakeTheItemsOfItsStage) {
  const auto letter = tw::dead_letter([](const std::string&, std::exception_ptr) {});
  EXPECT_THAT(problems_with(same({.on_error = letter, .name = "m"})),
              ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr("std::string"), HasSubstr("int"))));
  // The farm's policy is that of the stages inside.
  EXPECT_THAT(problems_with(tw::farm(same(), {.on_error = letter})), ElementsAre(HasSubstr("std::string")));
}

TEST(Checks, ASourceHasNoDeadLetters) {
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source([]() -> std::optional<int> { return {}; },
                                   {.on_error = tw::dead_letter([](const int&, std::exception_ptr) {})}) |
                        sink());
              }),
              ElementsAre(AllOf(HasSubstr("source"), HasSubstr("dead_letter"))));
}

TEST(Checks, AnEmittingSourceCannotBeTriedAgain) {
  EXPECT_THAT(
      problems_of([] { tw::run(tw::source([](tw::emitter<int>&) {}, {.on_error = tw::skip}) | sink()); }),
      ElementsAre(HasSubstr("tw::stop")));
}

TEST(Checks, ItemsThatCannotBeCopiedCannotBeTriedAgain) {
  const auto problems = problems_of([] {
    tw::run(tw::source([]() -> std::optional<std::unique_ptr<int>> { return {}; }) |
            tw::map([](std::unique_ptr<int> p) { return *p; }, {.on_error = tw::skip, .name = "m"}) | sink());
  });
  EXPECT_THAT(problems, ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr("cannot be copied"))));
}

TEST(Checks, ARouterMustTakeTheItemsOfItsFarm) {
  EXPECT_THAT(
      problems_with(tw::farm(same(), {.name = "f", .schedule = tw::route([](const std::string&, std::size_t) {
                                                     return std::size_t{0};
                                                   })})),
      ElementsAre(AllOf(HasSubstr("'f'"), HasSubstr("std::string"), HasSubstr("int"))));
}

TEST(Checks, PlacementsThatContradictThemselvesAreRefused) {
  EXPECT_THAT(problems_with(tw::farm(same(), {.replicas = 2, .on = tw::caller_thread})),
              ElementsAre(HasSubstr("caller_thread")));
  EXPECT_THAT(problems_with(same({.blocking = true, .on = tw::caller_thread})),
              ElementsAre(HasSubstr("choose one")));
}

TEST(Checks, AFarmAmongOtherStagesOfAFarmHasNoReplicasOfItsOwn) {
  const auto inside = [](tw::options o) { return tw::farm(same(), std::move(o)); };
  EXPECT_THAT(problems_with(tw::farm(inside({.replicas = 8, .name = "inner"}) | same())),
              ElementsAre(AllOf(HasSubstr("'inner'"), HasSubstr(".replicas"))));
  EXPECT_THAT(problems_with(tw::farm(inside({.unordered = true, .name = "inner"}) | same())),
              ElementsAre(AllOf(HasSubstr("'inner'"), HasSubstr(".unordered"))));
  EXPECT_THAT(problems_with(tw::farm(inside({.name = "inner", .schedule = tw::round_robin}) | same())),
              ElementsAre(AllOf(HasSubstr("'inner'"), HasSubstr(".schedule"))));
  // Wherever it stands, and whatever the outer one says.
  EXPECT_THAT(problems_with(tw::farm(same() | inside({.replicas = 8, .name = "inner"}) | same(),
                                     {.replicas = 2, .name = "outer"})),
              ElementsAre(AllOf(HasSubstr("inner'"), HasSubstr(".replicas"))));
  EXPECT_THAT(problems_with(tw::farm(same() | inside({.name = "inner", .schedule = tw::round_robin}),
                                     {.schedule = tw::round_robin})),
              Contains(AllOf(HasSubstr("'inner'"), HasSubstr(".schedule"))));
}

TEST(Checks, AFarmInAFarmMayDoWhatHasAMeaningThere) {
  EXPECT_NO_THROW(tw::run(source() | tw::farm(tw::farm(same()) | same(), {.replicas = 2}) | sink()));
  EXPECT_NO_THROW(tw::run(
      source() | tw::farm(same() | tw::farm(same(), {.on_error = tw::skip}), {.replicas = 2}) | sink()));
  EXPECT_NO_THROW(tw::run(source() |
                          tw::farm(tw::farm(same() | same(), {.replicas = 2, .schedule = tw::round_robin}),
                                   {.replicas = 2, .unordered = true}) |
                          sink()));
}

TEST(Checks, WhatConcernsTheItemsThatComeInIsForTheFirstStageOfAFarm) {
  EXPECT_THAT(problems_with(tw::farm(same({.name = "a"}) | same({.name = "b", .schedule = tw::round_robin}))),
              ElementsAre(AllOf(HasSubstr("'b'"), HasSubstr(".schedule"))));
  EXPECT_THAT(problems_with(tw::farm(same({.name = "a"}) | same({.capacity = 7, .name = "b"}))),
              ElementsAre(AllOf(HasSubstr("'b'"), HasSubstr(".capacity"))));
  EXPECT_NO_THROW(tw::run(source() | tw::farm(same({.capacity = 7}) | same(), {.replicas = 2}) | sink()));
}

TEST(Checks, WhereAFarmRunsIsSaidOfTheFarm) {
  EXPECT_THAT(problems_with(tw::farm(same({.name = "a"}) | same({.pin = {0}, .name = "b"}))),
              ElementsAre(AllOf(HasSubstr("'b'"), HasSubstr(".pin"), HasSubstr("farm"))));
  EXPECT_THAT(problems_with(tw::farm(same({.pin = {0}, .name = "a"}) | same({.name = "b"}))),
              ElementsAre(AllOf(HasSubstr("'a'"), HasSubstr(".pin"), HasSubstr("farm"))));
  const auto where = AllOf(AnyOf(HasSubstr(".on "), HasSubstr("caller_thread")), HasSubstr("farm"));
  EXPECT_THAT(problems_with(tw::farm(same({.name = "a"}) | same({.name = "b", .on = tw::caller_thread}),
                                     {.replicas = 1})),
              ElementsAre(AllOf(HasSubstr("'b'"), where)));
  EXPECT_THAT(problems_with(tw::farm(same({.name = "a", .on = tw::caller_thread}) | same({.name = "b"}),
                                     {.replicas = 1})),
              ElementsAre(AllOf(AnyOf(HasSubstr("'a'"), HasSubstr("'b'")), where)));
  EXPECT_NO_THROW(tw::run(source() | tw::farm(same() | same(), {.replicas = 2, .pin = {0}}) | sink()));
  EXPECT_NO_THROW(
      tw::run(source() | tw::farm(same() | same(), {.replicas = 1, .on = tw::caller_thread}) | sink()));
}

TEST(Checks, NothingFollowsAnErrorPolicyThatIsFinal) {
  const auto letter = tw::dead_letter([](const int&, std::exception_ptr) {});
  const auto says_so = AllOf(HasSubstr("'m'"), AnyOf(HasSubstr("then"), HasSubstr("follow")));
  EXPECT_THAT(problems_with(same({.on_error = letter.then(tw::skip), .name = "m"})), ElementsAre(says_so));
  EXPECT_THAT(problems_with(same({.on_error = letter.then(tw::retry(1)), .name = "m"})),
              ElementsAre(says_so));
  EXPECT_THAT(problems_with(same({.on_error = tw::skip.then(letter), .name = "m"})), ElementsAre(says_so));
  EXPECT_THAT(problems_with(same({.on_error = tw::skip.then(tw::retry(1)), .name = "m"})),
              ElementsAre(says_so));
  EXPECT_THAT(problems_with(same({.on_error = tw::retry(2).then(tw::skip.then(letter)), .name = "m"})),
              ElementsAre(says_so));
  EXPECT_THAT(problems_with(same({.on_error = tw::skip.then(tw::stop).then(letter), .name = "m"})),
              ElementsAre(says_so))
      << "what was wrong before stays wrong";
  EXPECT_NO_THROW(tw::run(source() | same({.on_error = tw::retry(1).then(letter)}) |
                          same({.on_error = tw::retry(1).then(tw::skip)}) |
                          same({.on_error = tw::retry(1).then(tw::stop)}) | sink()));
}

TEST(Checks, RetriesDoNotFollowRetries) {
  using namespace std::chrono_literals;
  const auto says_so = AllOf(HasSubstr("'m'"), HasSubstr("retry"));
  EXPECT_THAT(problems_with(same({.on_error = tw::retry(2, 1ms).then(tw::retry(3, 1s)), .name = "m"})),
              ElementsAre(says_so));
  EXPECT_THAT(
      problems_with(same({.on_error = tw::retry(2, 1ms).then(tw::retry(3, 1s).then(tw::skip)), .name = "m"})),
      ElementsAre(says_so));
  EXPECT_THAT(
      problems_with(same({.on_error = tw::retry(2, 1ms).then(tw::retry(3, 1s)).then(tw::skip), .name = "m"})),
      ElementsAre(says_so));
  EXPECT_THAT(problems_with(tw::farm(same(), {.on_error = tw::retry(2).then(tw::retry(3)), .name = "m"})),
              ElementsAre(says_so));
}

TEST(Checks, BatchesMustHoldSomethingAndIntervalsPass) {
  EXPECT_THAT(
      problems_of([] { tw::run(source() | tw::batch(0) | tw::sink([](const std::vector<int>&) {})); }),
      ElementsAre(HasSubstr("at least 1")));
  EXPECT_THAT(
      problems_of([] { tw::run(source() | tw::batch(-5) | tw::sink([](const std::vector<int>&) {})); }),
      ElementsAre(HasSubstr("-5")));
  EXPECT_THAT(
      problems_of([] {
        tw::run(source() | tw::batch(1, std::chrono::seconds(-1)) | tw::sink([](const std::vector<int>&) {}));
      }),
      ElementsAre(HasSubstr("negative")));
}

TEST(Checks, RatesMustBePositive) {
  for (const double rate : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(
        problems_of([&] { tw::run(tw::paced([]() -> std::optional<int> { return {}; }, rate) | sink()); }),
        ElementsAre(HasSubstr("rate")));
  }
}

struct refuses {
  std::string why;
  int operator()(int x) const { return x; }
  void validate() const { throw std::invalid_argument(why); }
};

TEST(Checks, ValidateRefusesAJob) {
  EXPECT_THAT(problems_with(tw::map(refuses{"no model file"}, {.name = "m"})),
              ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr("no model file"))));
  EXPECT_THAT(problems_with(tw::farm(refuses{"no model file"}, {.name = "m"})),
              ElementsAre(HasSubstr("no model file")));
}

struct refuses_oddly {
  int operator()(int x) { return x; }
  void validate() { throw 7; }  // neither const nor a std::exception
};

TEST(Checks, ValidateMayBeNonConstAndThrowAnything) {
  EXPECT_THAT(problems_with(tw::map(refuses_oddly{}, {.name = "m"})), ElementsAre(HasSubstr("'m'")));
}

struct refusing_source {
  std::optional<int> operator()() { return std::nullopt; }
  void validate() const { throw std::invalid_argument("no such file"); }
};

TEST(Checks, ValidateOfSourcesAndSinksIsCalled) {
  EXPECT_THAT(problems_of([] { tw::run(tw::source(refusing_source{}) | sink()); }),
              ElementsAre(HasSubstr("no such file")));
  EXPECT_THAT(problems_of([] { tw::run(tw::paced(refusing_source{}, 10.0) | sink()); }),
              ElementsAre(HasSubstr("no such file")));
  struct refusing_sink {
    void operator()(int) {}
    void validate() const { throw std::invalid_argument("disk full"); }
  };
  EXPECT_THAT(problems_of([] { tw::run(source() | tw::sink(refusing_sink{})); }),
              ElementsAre(HasSubstr("disk full")));
}

TEST(Checks, SeveralThingsWrongWithOneStageAreAllTold) {
  int (*null)(int) = nullptr;
  EXPECT_THAT(problems_with(tw::map(null, {.replicas = 3, .capacity = 0, .name = "m"})),
              testing::UnorderedElementsAre(HasSubstr("null"), HasSubstr("serial"), HasSubstr(".capacity")));
}

TEST(Checks, NothingRunsIfSomethingIsWrong) {
  bool called = false;
  EXPECT_THROW(tw::run(tw::source([&]() -> std::optional<int> {
                         called = true;
                         return {};
                       }) |
                       same({.capacity = 0}) | sink()),
               tw::invalid_job);
  EXPECT_FALSE(called);
}

TEST(Checks, LaunchRefusesAtOnce) {
  EXPECT_THROW((void)tw::launch(source() | same({.capacity = 0}) | sink()), tw::invalid_job);
}

class ChecksUnderPolicies : public under_every_policy {};
FOR_EVERY_POLICY(ChecksUnderPolicies);

TEST_P(ChecksUnderPolicies, EveryPolicyRefusesTheSame) {
  const auto problems = problems_of([] {
    tw::run(source() | tw::farm(same(), {.replicas = 0, .name = "f"}) | same({.capacity = 0, .name = "g"}) |
                sink(),
            policy());
  });
  EXPECT_THAT(problems, ElementsAre(HasSubstr("'f'"), HasSubstr("'g'")));
}

TEST_P(ChecksUnderPolicies, ProcessorsThatDoNotExistAreRefused) {
  const auto problems =
      problems_of([] { tw::run(source() | same({.pin = {100'000}, .name = "m"}) | sink(), policy()); });
  EXPECT_THAT(problems, ElementsAre(AllOf(HasSubstr("'m'"), HasSubstr("100000"))));
}

// --- the job as a picture ---

auto shop() {
  return source() |
         tw::farm(tw::map([](int x) { return std::to_string(x); }, {.name = "text"}) |
                      tw::map([](const std::string& s) { return s.size(); }, {.name = "size"}),
                  {.replicas = 3, .name = "shop"}) |
         tw::map([](std::size_t n) { return static_cast<int>(n); },
                 {.capacity = 8, .name = "back", .blocking = true}) |
         sink({.name = "end"});
}

TEST(Picture, JsonHoldsStagesTypesFarmsAndConnections) {
  const auto j = json::parse(tw::to_json(shop()));
  ASSERT_EQ(j["stages"].size(), 5U);
  EXPECT_EQ(j["stages"][0]["name"], "source");
  EXPECT_EQ(j["stages"][0]["pattern"], "source");
  EXPECT_FALSE(j["stages"][0].contains("in"));
  EXPECT_EQ(j["stages"][0]["out"], "int");
  EXPECT_EQ(j["stages"][1]["name"], "shop/text");
  EXPECT_EQ(j["stages"][1]["in"], "int");
  EXPECT_EQ(j["stages"][1]["out"], "std::string");
  EXPECT_EQ(j["stages"][1]["replicas"], 3);
  EXPECT_EQ(j["stages"][1]["ordered"], true);
  EXPECT_EQ(j["stages"][1]["farm"], j["stages"][2]["farm"]);
  EXPECT_EQ(j["stages"][3]["capacity"], 8);
  EXPECT_EQ(j["stages"][3]["blocking"], true);
  EXPECT_FALSE(j["stages"][3].contains("farm"));
  EXPECT_FALSE(j["stages"][4].contains("out"));
  ASSERT_EQ(j["connections"].size(), 4U);
  EXPECT_EQ(j["connections"][3]["from"], 3);
  EXPECT_EQ(j["connections"][3]["to"], 4);
}

TEST(Picture, UnorderedFarmsSaySo) {
  const auto job = source() | tw::farm(same(), {.unordered = true, .name = "f"}) | sink();
  EXPECT_EQ(json::parse(tw::to_json(job))["stages"][1]["ordered"], false);
  EXPECT_THAT(tw::to_dot(job), HasSubstr("unordered"));
}

TEST(Picture, DotHoldsNodesEdgesAndFarms) {
  const auto dot = tw::to_dot(shop());
  EXPECT_THAT(dot, testing::StartsWith("digraph"));
  EXPECT_THAT(dot, HasSubstr("shop/text"));
  EXPECT_THAT(dot, HasSubstr("farm x 3"));
  EXPECT_THAT(dot, HasSubstr("s0 -> s1 [label=\"int\"]"));
  EXPECT_THAT(dot, HasSubstr("s1 -> s2 [label=\"std::string\"]"));
  EXPECT_THAT(dot, HasSubstr("s3 -> s4"));
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
}

TEST(Picture, NamesAreEscaped) {
  const auto job = source() | same({.name = "a \"b\" \\c\n"}) | sink();
  EXPECT_EQ(json::parse(tw::to_json(job))["stages"][1]["name"], "a \"b\" \\c\n");
  EXPECT_THAT(tw::to_dot(job), HasSubstr("a \\\"b\\\" \\\\c\\\\x0a"));
}

TEST(Picture, AJobThatCannotRunHasOneToo) {
  EXPECT_THAT(tw::to_json(source() | same({.capacity = 0}) | sink()), Not(IsEmpty()));
}

TEST(Picture, TheJobIsNotRun) {
  bool called = false;
  const auto job = tw::source([&]() -> std::optional<int> {
                     called = true;
                     return {};
                   }) |
                   sink();
  EXPECT_THAT(tw::to_dot(job), HasSubstr("source"));
  EXPECT_FALSE(called);
}

TEST(Picture, JoinedPartsAreOneLine) {
  tw::any_pipeline<int, int> steps = same({.name = "one"});
  steps = std::move(steps) | tw::farm(same({.name = "two"}), {.replicas = 2});
  const tw::any_pipeline<void, void> job = source() | steps | sink();
  const auto j = json::parse(tw::to_json(job));
  ASSERT_EQ(j["stages"].size(), 4U);
  ASSERT_EQ(j["connections"].size(), 3U);
  EXPECT_EQ(j["stages"][2]["name"], "two");
  const auto dot = tw::to_dot(job);
  EXPECT_THAT(dot, HasSubstr("s0 -> s1"));
  EXPECT_THAT(dot, HasSubstr("s1 -> s2"));
  EXPECT_THAT(dot, HasSubstr("s2 -> s3"));
}

}  // namespace
