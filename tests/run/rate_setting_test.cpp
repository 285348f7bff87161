// The rate of a paced source for one run. What is due decides how many items come, never how long that takes.
#include <thalweg/thalweg.hpp>

#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tw = thalweg;
using testing::HasSubstr;

namespace {

constexpr int all = 100;
constexpr double hardly_ever = 1e-5;  // the second item is due after a day

// Items at three moments, and then no more.
tw::rate three_moments() {
  const auto file = testing::TempDir() + std::to_string(::getpid()) + "three_moments";
  std::ofstream(file) << "0\n0\n0\n";
  return tw::rate::trace(file);
}

auto numbers() {
  return [n = 0]() mutable { return n < all ? std::optional(n++) : std::nullopt; };
}

auto job(tw::pace pace) {
  return tw::paced(numbers(), std::move(pace), {.name = "ticks"}) |
         tw::farm([](int x) { return x; }, {.replicas = 2, .name = "copy"}) |
         tw::sink([](int) {}, {.name = "write"});
}

const std::vector<tw::any_policy>& policies() {
  static const std::vector<tw::any_policy> each{tw::sequential{}, tw::threads{}, tw::pool{}};
  return each;
}

template <class Job> std::string refused(Job&& what, tw::stage_setting setting) {
  try {
    tw::run(std::forward<Job>(what), {.stages = {std::move(setting)}});
  } catch (const tw::invalid_job& e) {
    return e.what();
  }
  return "not refused";
}

TEST(RateSetting, HoldsInPlaceOfThatOfTheJob) {
  for (const auto& policy : policies()) {
    const auto r = tw::run(job(hardly_ever), policy, {.stages = {{.stage = "ticks", .rate = 1e7}}});
    EXPECT_EQ(r.items(), static_cast<std::uint64_t>(all)) << policy.name();
    EXPECT_TRUE(r.latency().from_due()) << policy.name();
  }
}

TEST(RateSetting, HoldsForOneRunOnly) {
  const tw::pace pace(1e7);
  const auto again = job(pace);
  EXPECT_EQ(tw::run(again, {.stages = {{.stage = "ticks", .rate = three_moments()}}}).items(), 3U);
  EXPECT_EQ(tw::run(again).items(), static_cast<std::uint64_t>(all));
}

TEST(RateSetting, OfAGraphHoldsForOneRunOnly) {
  tw::graph g;
  (void)g.add(job(1e7));
  EXPECT_EQ(tw::run(g, {.stages = {{.stage = "ticks", .rate = three_moments()}}}).items(), 3U);
  EXPECT_EQ(tw::run(g).items(), static_cast<std::uint64_t>(all));
}

TEST(RateSetting, GivesWayToAPaceThatIsSetDuringTheRun) {
  tw::pace pace(1e7);
  auto e = tw::launch(job(pace), {.stages = {{.stage = "ticks", .rate = hardly_ever}}});
  while (e.stats().stage("ticks").items_out() < 1) std::this_thread::yield();
  EXPECT_FALSE(e.done());
  pace.set(1e7);
  EXPECT_EQ(e.wait().items(), static_cast<std::uint64_t>(all));
}

TEST(RateSetting, TheLastOneHolds) {
  const auto r =
      tw::run(job(hardly_ever),
              {.stages = {{.stage = "ticks", .rate = 1e7}, {.stage = "ticks", .rate = three_moments()}}});
  EXPECT_EQ(r.items(), 3U);
}

TEST(RateSetting, NamesThePacedSourcesWhereThereIsNoSuchOne) {
  EXPECT_THAT(refused(job(1.0), {.stage = "tocks", .rate = 5, .from = "run.conf:3"}),
              HasSubstr("run.conf:3: there is no stage 'tocks'; the paced sources are: ticks"));
  EXPECT_THAT(
      refused(job(1.0), {.stage = "copy", .rate = 5}),
      HasSubstr("run_options.stages: stage 'copy' is no paced source, so .rate does nothing; the paced "
                "sources are: ticks"));
  const auto unpaced = tw::source(std::vector{1}, {.name = "read"}) | tw::sink([](int) {}, {.name = "write"});
  EXPECT_THAT(refused(unpaced, {.stage = "read", .rate = 5}), HasSubstr("the job has no paced source"));
  tw::graph two;
  (void)two.add(job(1.0));
  (void)two.add(tw::paced(numbers(), 1.0, {.name = "tocks"}) | tw::sink([](int) {}));
  EXPECT_THAT(refused(two, {.stage = "write", .rate = 5}), HasSubstr("the paced sources are: ticks, tocks"));
}

}  // namespace
