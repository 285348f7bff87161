// Which ranks execute what, on machines that are not there: nothing is sent.
#include "../../src/run/distributed/mpi/mapping.hpp"

#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>
#include <ranges>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../../src/run/distributed/mpi/local_policy.hpp"
#include "../../src/run/distributed/mpi/plan.hpp"

namespace tw = thalweg;
namespace distributed = thalweg::run_detail::distributed;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

namespace {

using places = std::vector<std::pair<int, int>>;  // rank, replicas

template <class Job> tw::run_detail::run_state state_of(Job&& job) {
  return {tw::run_detail::plan_of(std::forward<Job>(job)), "mpi", {}};
}

std::map<std::string, places> mapped(const tw::run_detail::run_state& run, const tw::mpi_options& how,
                                     const distributed::machine& on) {
  std::map<std::string, places> all;
  const auto found = distributed::map_stages(run, how, on);
  for (std::size_t s = 0; s < found.size(); ++s) {
    for (const auto& p : found[s]) all[run.stages[s].info->name].emplace_back(p.rank, p.replicas);
  }
  return all;
}

int replicas(const places& of) {
  return std::accumulate(of.begin(), of.end(), 0, [](int sum, const auto& p) { return sum + p.second; });
}

auto two_farms(tw::options first = {}, tw::options second = {}) {
  first.name = "draw";
  second.name = "blur";
  return tw::source(std::views::iota(0L, 10L), {.name = "read"}) |
         tw::farm([](const long& x) { return x; }, first) |
         tw::farm([](const long& x) { return x; }, second) | tw::sink([](long) {}, {.name = "write"});
}

std::map<std::string, places> two_farms_mapped(const tw::mpi_options& how, const distributed::machine& on,
                                               tw::options first = {}, tw::options second = {}) {
  tw::let_travel<long>();
  return mapped(state_of(two_farms(first, second)), how, on);
}

// Ranks as `mpirun --map-by node` numbers them: across the hosts.
distributed::machine across_hosts(int ranks, int hosts, int workers) {
  distributed::machine on;
  for (int r = 0; r < ranks; ++r) on.ranks.push_back({"node" + std::to_string(r % hosts), workers});
  return on;
}

TEST(Mapping, WithoutAnyWishFarmsAreOnAllRanks) {
  const auto at = two_farms_mapped({}, distributed::made_up(3, "", 12));
  EXPECT_EQ(at.at("read"), (places{{0, 1}}));
  EXPECT_EQ(at.at("draw"), (places{{0, 4}, {1, 4}, {2, 4}}));
  EXPECT_EQ(at.at("blur"), at.at("draw"));
  EXPECT_EQ(at.at("write"), (places{{0, 1}}));
}

TEST(Mapping, RanksHaveReplicasByTheirOwnCores) {
  distributed::machine on;
  on.ranks = {{"a", 4}, {"b", 2}, {"c", 7}};
  EXPECT_EQ(two_farms_mapped({}, on).at("draw"), (places{{0, 4}, {1, 2}, {2, 7}}));
}

TEST(Mapping, TheLocalPolicySaysHowManyWorkersARankHas) {
  const auto asked = [](tw::any_policy local) {
    return distributed::workers_asked_for({.local = std::move(local)});
  };
  EXPECT_EQ(distributed::workers_asked_for({}), tw::automatic);
  EXPECT_EQ(asked(tw::sequential{}), 1);
  EXPECT_EQ(asked(tw::pool{.workers = 3}), 3);
  EXPECT_EQ(asked({"mine", nullptr, tw::run_detail::make_sequential, 2}), 2);
  // Of these nobody knows more.
  EXPECT_EQ(asked(tw::pool{}), tw::run_detail::cores());
  EXPECT_EQ(asked({"mine", nullptr, tw::run_detail::make_sequential}), tw::run_detail::cores());
}

TEST(Mapping, TheFirstRankLeavesFarmsToOthersThatHaveMostOfTheWorkers) {
  EXPECT_EQ(two_farms_mapped({}, across_hosts(8, 8, 1)).at("draw").front(), (places::value_type{0, 1}));
  const auto at = two_farms_mapped({}, across_hosts(9, 9, 1)).at("draw");
  EXPECT_EQ(at.front(), (places::value_type{1, 1}));
  EXPECT_EQ(at.size(), 8U);
}

TEST(Mapping, TheFirstRankLeavesFarmsToOthersThatNeedItsCore) {
  EXPECT_EQ(two_farms_mapped({}, distributed::made_up(2, "", 2)).at("draw"), (places{{0, 1}, {1, 1}}));
  EXPECT_EQ(two_farms_mapped({}, distributed::made_up(3, "", 2)).at("draw"), (places{{1, 1}, {2, 1}}));
}

TEST(Mapping, ReplicasThatTheOthersHaveWorkersForLeaveTheFirstRankAlone) {
  const auto on = across_hosts(3, 3, 2);
  EXPECT_EQ(two_farms_mapped({}, on, {.replicas = 4}).at("draw"), (places{{1, 2}, {2, 2}}));
  EXPECT_EQ(two_farms_mapped({}, on, {.replicas = 5}).at("draw"), (places{{0, 1}, {1, 2}, {2, 2}}));
}

TEST(Mapping, WhereItemsAreDividedUpTheFirstRankKeepsAWorkerForWhatIsSerial) {
  const tw::options in_turn{.schedule = tw::round_robin};
  EXPECT_EQ(two_farms_mapped({}, across_hosts(2, 2, 3), in_turn).at("draw"), (places{{0, 2}, {1, 3}}));
  EXPECT_EQ(two_farms_mapped({}, across_hosts(2, 2, 1), in_turn).at("draw"), (places{{1, 1}}));
}

TEST(Mapping, ThoseWhoFollowEachOtherAreOnOneHost) {
  // Host node0 has ranks 0 and 2, node1 has 1 and 3.
  const auto on = across_hosts(4, 2, 1);
  EXPECT_EQ(two_farms_mapped({}, on, {.replicas = 1}, {.replicas = 2}).at("draw"), (places{{2, 1}}));
  const auto at = two_farms_mapped({.grouping = 1}, on, {.replicas = 1}, {.replicas = 2});
  EXPECT_EQ(at.at("draw"), (places{{2, 1}}));
  EXPECT_EQ(at.at("blur"), (places{{1, 1}, {3, 1}}));
}

TEST(Mapping, AStageOnAHost) {
  const auto on = distributed::made_up(0, "front:2,big.cluster:2,small", 8);
  const auto at = two_farms_mapped({.place = {{.stage = "draw", .hosts = {"big"}},
                                              {.stage = "blur", .hosts = {"small", "front"}},
                                              {.stage = "write", .hosts = {"big.cluster"}}}},
                                   on);
  EXPECT_EQ(at.at("draw"), (places{{2, 4}, {3, 4}}));
  EXPECT_EQ(at.at("blur"), (places{{0, 4}, {1, 4}, {4, 8}}));
  EXPECT_EQ(at.at("write"), (places{{2, 1}}));
}

TEST(Mapping, SourceAndSinkApart) {
  auto at = two_farms_mapped({.apart = true}, distributed::made_up(0, "a:3,b:3", 3));
  EXPECT_EQ(at.at("read"), (places{{0, 1}}));
  EXPECT_EQ(at.at("write"), (places{{3, 1}}));
  EXPECT_EQ(at.at("draw"), (places{{1, 1}, {2, 1}, {4, 1}, {5, 1}}));
  // On one host they are on two ranks; with two ranks farms have to be where one of them is.
  at = two_farms_mapped({.apart = true}, distributed::made_up(2, "", 4));
  EXPECT_EQ(at.at("write"), (places{{1, 1}}));
  EXPECT_EQ(at.at("draw"), (places{{1, 2}}));
}

// --- by cost ---

std::vector<tw::stage_cost> costs(double read, double draw, double blur, double write) {
  using s = std::chrono::duration<double>;
  return {{"read", s(read)}, {"draw", s(draw)}, {"blur", s(blur)}, {"write", s(write)}};
}

TEST(MappingByCost, TwentyFiveToOneIsFound) {
  const auto at = two_farms_mapped({.costs = costs(0, 25, 1, 0)}, across_hosts(27, 3, 1));
  EXPECT_EQ(replicas(at.at("draw")), 25);
  EXPECT_EQ(replicas(at.at("blur")), 1);
  EXPECT_EQ(at.at("read"), (places{{0, 1}}));
}

TEST(MappingByCost, RanksWithSeveralCoresHaveSomeOfBoth) {
  const auto at = two_farms_mapped({.costs = costs(0.01, 3, 1, 0.01)}, distributed::made_up(0, "a,b,c", 8));
  EXPECT_EQ(replicas(at.at("draw")) + replicas(at.at("blur")), 23);  // one worker for source and sink
  EXPECT_EQ(replicas(at.at("draw")), 17);
  EXPECT_EQ(at.at("draw").size(), 3U);
}

TEST(MappingByCost, ItemsCountToo) {
  auto given = costs(0, 1, 1, 0);
  given[2].items = 5;  // each item becomes five
  const auto at = two_farms_mapped({.costs = given}, across_hosts(13, 1, 1));
  EXPECT_EQ(replicas(at.at("draw")), 2);
  EXPECT_EQ(replicas(at.at("blur")), 10);
}

TEST(MappingByCost, NoMoreReplicasThanTheSlowestSerialStageCanFeed) {
  const auto at = two_farms_mapped({.costs = costs(1, 3, 0.1, 0.1)}, across_hosts(64, 1, 1));
  EXPECT_EQ(replicas(at.at("draw")), 6);  // twice what is needed, as items differ
  EXPECT_EQ(replicas(at.at("blur")), 1);
}

TEST(MappingByCost, WhatTheUserSaysStands) {
  const auto at = two_farms_mapped({.place = {{"blur", {1, 1}}}, .costs = costs(0, 9, 1, 0)},
                                   distributed::made_up(3, "", 12), {.replicas = 3});
  EXPECT_EQ(replicas(at.at("draw")), 3);
  EXPECT_EQ(at.at("blur"), (places{{1, 2}}));
}

TEST(MappingByCost, SerialStagesThatCostMuchHaveRanksOfTheirOwnNearBy) {
  tw::let_travel<long>();
  const auto serial = [](const char* name) { return tw::map([](long x) { return x; }, {.name = name}); };
  const auto run = state_of(tw::source(std::views::iota(0L, 10L), {.name = "read"}) | serial("parse") |
                            serial("check") | serial("store") | tw::sink([](long) {}, {.name = "write"}));
  using s = std::chrono::duration<double>;
  const auto at = mapped(
      run,
      {.costs = {{"read", s(0.4)}, {"parse", s(1)}, {"check", s(0.5)}, {"store", s(0.5)}, {"write", s(0.3)}}},
      across_hosts(6, 2, 1));
  EXPECT_EQ(at.at("read"), (places{{0, 1}}));
  EXPECT_EQ(at.at("parse"), (places{{2, 1}}));  // on the host of rank 0
  EXPECT_EQ(at.at("check"), (places{{4, 1}}));
  EXPECT_EQ(at.at("store"), at.at("check"));
  EXPECT_EQ(at.at("write"), (places{{0, 1}}));
}

struct stuck {  // no codec
  long x = 0;
  std::vector<int*> p;
};

TEST(MappingByCost, AFarmThatWaitsForTheOutsideLeavesTheWorkersToOthers) {
  const auto on = across_hosts(27, 3, 1);
  const auto at = two_farms_mapped({.costs = costs(0, 25, 1, 0)}, on, {.blocking = true});
  EXPECT_EQ(replicas(at.at("blur")), 26);
  // As many as there are workers, since it is still the slowest, and not all on one rank.
  EXPECT_EQ(replicas(at.at("draw")), 27);
  EXPECT_EQ(at.at("draw").size(), 27U);
  const auto few = two_farms_mapped({.costs = costs(0, 25, 1, 0)}, on, {.replicas = 20, .blocking = true});
  EXPECT_EQ(replicas(few.at("draw")), 20);
  EXPECT_EQ(replicas(few.at("blur")), 26);
  // A third would hold up nothing: two are enough for one item each second, and items differ.
  const auto slow = two_farms_mapped({.costs = costs(1, 1, 3, 0)}, on, {.blocking = true});
  EXPECT_EQ(replicas(slow.at("draw")), 2);
}

TEST(MappingByCost, ASerialStageThatWaitsForTheOutsideStaysWithTheOthers) {
  tw::let_travel<long>();
  const auto run = state_of(tw::source(std::views::iota(0L, 10L), {.name = "read"}) |
                            tw::map([](long x) { return x; }, {.name = "ask", .blocking = true}) |
                            tw::map([](long x) { return x; }, {.name = "parse"}) |
                            tw::sink([](long) {}, {.name = "write"}));
  const tw::mpi_options how{.costs = {{.stage = "ask", .each = 1s}, {.stage = "parse", .each = 500ms}}};
  const auto at = mapped(run, how, across_hosts(6, 2, 1));
  EXPECT_EQ(at.at("ask"), (places{{0, 1}}));
  EXPECT_EQ(at.at("parse"), (places{{0, 1}}));
}

TEST(MappingByCost, WhatCannotTravelStaysTogether) {
  const auto run =
      state_of(tw::source([]() -> std::optional<stuck> { return std::nullopt; }, {.name = "read"}) |
               tw::map([](stuck x) { return x; }, {.name = "dear"}) |
               tw::sink([](const stuck&) {}, {.name = "write"}));
  const auto at = mapped(run, {.costs = {{.stage = "dear", .each = 1s}}}, across_hosts(4, 1, 1));
  EXPECT_EQ(at.at("dear"), (places{{0, 1}}));
}

TEST(MappingByCost, AShortRunTellsThem) {
  const auto wait = [](auto time) {
    return [time](const long& x) {
      std::this_thread::sleep_for(time);
      return x;
    };
  };
  const auto r = tw::run(tw::source(std::views::iota(0L, 4L), {.name = "read"}) |
                             tw::farm(wait(100ms), {.name = "draw"}) | tw::farm(wait(1ms), {.name = "blur"}) |
                             tw::sink([](long) {}, {.name = "write"}),
                         tw::sequential{});
  const auto found = tw::costs_of(r);
  ASSERT_EQ(found.size(), 4U);
  // Both are executed together, and what they have taken is divided by what some items took of each.
  EXPECT_GE(found[1].each.count(), 50e-3);
  EXPECT_DOUBLE_EQ(found[2].items, 1);
  const auto at = two_farms_mapped({.costs = found}, across_hosts(27, 3, 1));
  // On a busy machine a sleep of a millisecond lasts longer.
  EXPECT_GE(replicas(at.at("draw")), 18);
  EXPECT_EQ(replicas(at.at("draw")) + replicas(at.at("blur")), 26);
  // And the same from a file.
  const auto file = testing::TempDir() + "report" + std::to_string(::getpid()) + ".json";
  std::ofstream(file) << r.to_json();
  const auto saved = tw::saved_costs(file);
  ASSERT_EQ(saved.size(), 4U);
  EXPECT_EQ(saved[1].stage, "draw");
  EXPECT_DOUBLE_EQ(saved[1].each.count(), found[1].each.count());
  for (const char* none :
       {"{}", R"({"stages":[{"name":"a","kind":"map","items_in":-1}]})",
        R"({"stages":[{"name":"a","kind":"map","items_in":1.5e300}]})",
        R"({"stages":[{"name":"a","kind":"map","items_in":1,"service_ns_per_item":-1}]})"}) {
    std::ofstream(file) << none;
    EXPECT_THROW((void)tw::saved_costs(file), tw::error) << none;
  }
  std::remove(file.c_str());
  EXPECT_THROW((void)tw::saved_costs(file), tw::error);
}

// --- what may change later ---

TEST(Mapping, AllRanksMayGetReplicasUnlessSomethingKeepsThemAway) {
  tw::let_travel<long>();
  using enum thalweg::run_detail::dataflow::fixed_by;
  const auto on = across_hosts(3, 3, 2);
  const auto draw_with = [&](const tw::mpi_options& how, tw::options farm) {
    const auto run = state_of(two_farms(std::move(farm)));
    return distributed::with_reserves(run, how, on, distributed::map_stages(run, how, on)).at(1);
  };
  const auto free = draw_with({}, {.replicas = 4});
  EXPECT_EQ(free.size(), 3U) << "rank 0, too, which begins with none";
  for (const auto& p : free) EXPECT_EQ(p.stays, nothing);
  for (const auto& p : draw_with({.place = {{"draw", {1, 2}}}}, {})) EXPECT_EQ(p.stays, wish);
  for (const auto& p : draw_with({}, {.replicas = 4, .schedule = tw::round_robin}))
    EXPECT_EQ(p.stays, numbers);
  // Ranks in reserve come to a farm that is placed, and go again.
  const auto placed = draw_with({.place = {{"draw", {1}}}, .reserve = 1}, {});
  ASSERT_EQ(placed.size(), 2U);
  EXPECT_EQ(placed[0].stays, wish);
  EXPECT_EQ(placed[1].stays, nothing);
}

// --- as a plan ---

nlohmann::json planned(const tw::mpi_options& how, const distributed::machine& on) {
  tw::let_travel<long>();
  const auto run = state_of(two_farms());
  const auto places = distributed::with_reserves(run, how, on, distributed::map_stages(run, how, on));
  return nlohmann::json::parse(distributed::plan_as_json(run, how, on, places));
}

TEST(Plan, SaysWhichRanksWait) {
  const auto found = planned({.reserve = 2, .spawn = 3}, distributed::made_up(4, "", 4));
  for (int r = 0; r < 4; ++r) EXPECT_EQ(found["ranks"][r]["in_reserve"], r >= 2);
  EXPECT_EQ(found["may_join"], 3);
  EXPECT_EQ(found["stages"][1]["places"].size(), 2U);
  EXPECT_EQ(found["stages"][1]["later"], nlohmann::json({2, 3}));
  EXPECT_TRUE(found["stages"][0]["later"].empty()) << "the stage is serial";
  EXPECT_EQ(planned({}, distributed::made_up(4, "", 4))["may_join"], 0);
}

// 13 ns of work for an item do not mean that 77 million a second come through: each has to travel.
TEST(Plan, ReckonsWithWhatMessagesCost) {
  constexpr double ns = 1e-9;
  const tw::mpi_options quick{.costs = costs(0, 13 * ns, 0, 0)};
  auto found = planned(quick, distributed::made_up(3, "", 3));
  // Each farm is on a rank of its own: all have something to receive and to send.
  for (int r = 0; r < 3; ++r) EXPECT_NEAR(found["ranks"][r]["travel_seconds_per_item"], 60 * ns, 1e-15);
  EXPECT_NEAR(found["seconds_per_item"], 60 * ns, 1e-15);
  // With one rank nothing travels.
  found = planned(quick, distributed::made_up(1, "", 1));
  EXPECT_NEAR(found["seconds_per_item"], 13 * ns, 1e-15);
  // Of ten items for each of the source all travel.
  auto ten = quick;
  for (auto& c : ten.costs) c.items = c.stage == "read" ? 1 : 10;
  EXPECT_NEAR(planned(ten, distributed::made_up(2, "", 2))["seconds_per_item"], 600 * ns, 1e-15);
  // Where work takes longer, that counts; and of costs that nobody knows nothing is said.
  found = planned({.costs = costs(0, 1e-3, 0, 0)}, distributed::made_up(2, "", 2));
  EXPECT_NEAR(found["seconds_per_item"], 1e-3, 1e-15);
  EXPECT_EQ(planned({}, distributed::made_up(2, "", 2))["seconds_per_item"], 0);
}

// Three replicas of a farm wait at the same time on one worker.
TEST(Plan, WhatIsWaitedForOutsideIsNoWorkOfARank) {
  tw::let_travel<long>();
  const auto run = state_of(two_farms({.replicas = 3, .blocking = true}, {.replicas = 1}));
  const tw::mpi_options how{.costs = costs(0, 3, 0.5, 0)};
  const auto on = distributed::made_up(1, "", 1);
  const auto found =
      nlohmann::json::parse(distributed::plan_as_json(run, how, on, distributed::map_stages(run, how, on)));
  EXPECT_NEAR(found["seconds_per_item"], 1, 1e-9);
  EXPECT_EQ(found["stages"][1]["seconds_per_item"], 3);
  EXPECT_EQ(found["stages"][1]["blocking"], true);
  EXPECT_EQ(found["stages"][2]["blocking"], false);
}

TEST(Plan, WithGroupingCostsSayHowFastItIsAndNotWhere) {
  const tw::mpi_options how{.grouping = 2, .costs = costs(0, 25, 1, 0)};
  const auto on = distributed::made_up(3, "", 3);
  EXPECT_EQ(two_farms_mapped(how, on), two_farms_mapped({.grouping = 2}, on));
  EXPECT_GT(planned(how, on)["seconds_per_item"], 1);
}

// --- refused ---

std::string refusal(const tw::mpi_options& how) {
  try {
    two_farms_mapped(how, distributed::made_up(0, "a:2,b", 2));
  } catch (const tw::error& e) {
    return e.what();
  }
  return {};
}

TEST(Mapping, WishesThatCannotHold) {
  EXPECT_THAT(refusal({.place = {{.stage = "draw", .hosts = {"c"}}}}),
              HasSubstr("host 'c', but the ranks are on a, b"));
  EXPECT_THAT(refusal({.place = {{"draw", {7}}}}), HasSubstr("names rank 7, but there are ranks 0 to 2"));
  EXPECT_THAT(refusal({.place = {{"draw", {1}, {"a"}}}}), HasSubstr("ranks and hosts"));
  EXPECT_THAT(refusal({.place = {{.stage = "read", .hosts = {"a", "b"}}}}), HasSubstr("the stage is serial"));
  EXPECT_THAT(refusal({.place = {{"drew", {1}}}}), HasSubstr("did you mean 'draw'?"));
  EXPECT_THAT(refusal({.costs = {{.stage = "other"}}}),
              HasSubstr(".costs names stage 'other', which does not exist"));
  EXPECT_THAT(refusal({.costs = {{.stage = "draw", .each = -1s}}}), HasSubstr("must not be negative"));
}

TEST(Mapping, HostsThatCannotBeRead) {
  for (const char* text : {"a:", "a:0", ":3", "a:x", "a:2:3", "a,,b"})
    EXPECT_THROW((void)distributed::made_up(0, text, 1), tw::error) << text;
  EXPECT_THROW((void)distributed::made_up(5, "a:2,b:2", 6), tw::error);
  const auto on = distributed::made_up(4, "a:3,b:2", 6);
  EXPECT_THAT(on.hosts(), ElementsAre("a", "b"));
  EXPECT_EQ(on.workers(0), 2);
  EXPECT_EQ(on.workers(3), 6);
}

}  // namespace
