// The rate of a paced source, set while the run goes on. What is due decides how many items come, never how
// long that takes.
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/policies.hpp"
#include "support/refusal.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

constexpr std::uint64_t all = 100;
constexpr double hardly_ever = 1e-5;  // the second item is due after a day
constexpr double at_once = 1e7;

class SetRate : public under_every_policy {};
FOR_EVERY_POLICY(SetRate);

auto ticks(tw::pace pace, std::string name = "ticks") {
  return tw::paced([n = 0U]() mutable { return n < all ? std::optional(n++) : std::nullopt; },
                   std::move(pace), {.name = std::move(name)});
}

auto job(tw::pace pace) {
  return ticks(std::move(pace)) | tw::farm([](unsigned x) { return x; }, {.replicas = 2, .name = "copy"}) |
         tw::sink([](unsigned) {}, {.name = "write"});
}

void wait_for_the_first_item(const tw::execution& run) {
  ASSERT_TRUE(eventually([&] { return run.stats().items() >= 1; }));
}

TEST_P(SetRate, ReachesASourceThatSleepsUntilAFarTime) {
  auto e = tw::launch(job(hardly_ever), policy());
  wait_for_the_first_item(e);
  e.set_rate("ticks", at_once);
  const auto r = e.wait();
  EXPECT_EQ(r.items(), all);
  ASSERT_EQ(r.rate_changes().size(), 1U);
  const auto& change = r.rate_changes().front();
  EXPECT_EQ(change.stage, "ticks");
  EXPECT_EQ(change.from, hardly_ever);
  EXPECT_EQ(change.to, at_once);
  EXPECT_GT(change.at, 0ns);
  EXPECT_LE(change.at, r.elapsed());
}

TEST_P(SetRate, WhileTheRunIsPaused) {
  auto e = tw::launch(job(hardly_ever), policy());
  wait_for_the_first_item(e);
  e.pause();
  e.set_rate("ticks", at_once);
  e.resume();
  EXPECT_EQ(e.wait().items(), all);
}

TEST(RateChange, TheRateThatIsDueIsKnown) {
  auto e = tw::launch(job(hardly_ever));
  EXPECT_TRUE(eventually([&] { return e.stats().stage("ticks").due_rate() == hardly_ever; }));
  e.set_rate("ticks", 2e-5);
  EXPECT_EQ(e.stats().stage("ticks").due_rate(), 2e-5) << "at once, though the source has not looked yet";
  EXPECT_EQ(e.stats().stage("copy").due_rate(), std::nullopt);
  e.stop();
  const auto r = e.wait();
  EXPECT_EQ(r.stage("ticks").due_rate(), 2e-5);
  EXPECT_EQ(r.rate_changes().size(), 1U);
}

TEST(RateChange, ARateThatVariesIsKnownAsOfNow) {
  auto e = tw::launch(job(tw::rate::steps({{0.001, hardly_ever}, {1e6, 3e-5}})));
  EXPECT_TRUE(eventually([&] { return e.stats().stage("ticks").due_rate() == 3e-5; }));
  e.stop();
  (void)e.wait();
}

TEST(RateChange, OfAPaceAndThisTheLaterHolds) {
  tw::pace pace(at_once);
  auto e = tw::launch(job(pace), {.stages = {{.stage = "ticks", .rate = hardly_ever}}});
  wait_for_the_first_item(e);
  pace.set(2e-5);
  EXPECT_TRUE(eventually([&] { return e.stats().stage("ticks").due_rate() == 2e-5; }));
  e.set_rate("ticks", 3e-5);
  EXPECT_EQ(e.stats().stage("ticks").due_rate(), 3e-5);
  pace.set(4e-5);
  EXPECT_TRUE(eventually([&] { return e.stats().stage("ticks").due_rate() == 4e-5; }));
  e.set_rate("ticks", at_once);
  EXPECT_EQ(e.wait().items(), all);
}

TEST(RateChange, HoldsForOneRun) {
  const tw::pace both(hardly_ever);
  const auto again = job(both);
  auto other = tw::launch(again);
  wait_for_the_first_item(other);
  auto e = tw::launch(again);
  e.set_rate("ticks", at_once);
  EXPECT_EQ(e.wait().items(), all);
  EXPECT_EQ(other.stats().stage("ticks").due_rate(), hardly_ever);
  EXPECT_TRUE(other.stats().rate_changes().empty());
  EXPECT_FALSE(other.done());
}

TEST(RateChange, AfterTheEndNothingChanges) {
  auto e = tw::launch(job(at_once));
  (void)e.wait();
  e.set_rate("ticks", hardly_ever);
  EXPECT_TRUE(e.stats().rate_changes().empty());
  EXPECT_EQ(e.stats().stage("ticks").due_rate(), at_once);
}

TEST(RateChange, IsRefusedForOtherStages) {
  auto e = tw::launch(job(hardly_ever));
  EXPECT_THAT(refusal_of([&] { e.set_rate("tick", at_once); }),
              HasSubstr("there is no stage 'tick'; did you mean 'ticks'?"));
  EXPECT_THAT(refusal_of([&] { e.set_rate("write", at_once); }),
              HasSubstr("stage 'write' is no paced source, so it has no rate"));
  EXPECT_TRUE(e.stats().rate_changes().empty());
}

TEST(RateChange, ByManyThreadsAtOnceIsNotedInOrder) {
  auto e = tw::launch(job(hardly_ever));
  wait_for_the_first_item(e);
  {
    std::vector<std::jthread> threads;
    for (int t = 1; t <= 4; ++t)
      threads.emplace_back([&e, t] {
        for (int i = 0; i < 25; ++i) e.set_rate("ticks", 1e-6 * t);
      });
  }
  const auto due = e.stats().stage("ticks").due_rate();
  e.stop();
  const auto r = e.wait();
  ASSERT_EQ(r.rate_changes().size(), 100U);
  EXPECT_EQ(r.rate_changes().back().to, due);
  for (std::size_t i = 1; i < r.rate_changes().size(); ++i)
    EXPECT_EQ(r.rate_changes()[i].from, r.rate_changes()[i - 1].to);
}

}  // namespace
