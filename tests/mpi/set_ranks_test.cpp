// Ranks that leave a stream and come back while it runs, and what else rank 0 sets for all of them.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "mpi/ranks.hpp"
#include "mpi/refusal.hpp"
#include "mpi/watched.hpp"
#include "support/watchdog.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

auto numbers() {
  return tw::source([i = 0L]() mutable -> std::optional<long> { return i++; }, {.name = "count"});
}

done_by stamped(long x, std::chrono::microseconds takes = 100us) {
  if (takes.count() > 0) std::this_thread::sleep_for(takes);
  return {x, ranks::policy().rank()};
}

// What comes out, and of each rank how much had come out when it last had a part in it.
struct by_rank {
  watched w;
  std::vector<std::atomic<std::size_t>> last =
      std::vector<std::atomic<std::size_t>>(static_cast<std::size_t>(ranks::count()));

  auto sink() {
    return tw::sink(
        [this](done_by d) {
          w.seen.push_back(d);
          last.at(static_cast<std::size_t>(d.rank)) = w.seen.size();
          w.count.store(w.seen.size(), std::memory_order_release);
        },
        {.name = "write"});
  }
  // Until ranks from `first` on have had no part in more items than can be under way, and all others have had
  // one since.
  void wait_until_only(int first) const {
    const auto begin = w.count.load();
    const auto is_so = [&] {
      for (int r = 0; r < ranks::count(); ++r) {
        const auto its = last[static_cast<std::size_t>(r)].load();
        if (r < first ? its <= begin : its + 5'000 > w.count.load()) return false;
      }
      return true;
    };
    while (!is_so()) std::this_thread::sleep_for(500us);
  }
};

// With short messages, so that little is under way.
tw::mpi_options two_workers() {
  return {.local = tw::pool{.workers = 2}, .batch_bytes = 256};
}

template <class Farm> tw::report leave_and_come_back(Farm&& work, const tw::mpi_options& how) {
  const auto limited = watchdog::watch(120s, [] { return std::string("ranks leave and come back"); });
  by_rank seen;
  auto e = tw::launch(numbers() | std::forward<Farm>(work) | seen.sink(), ranks::policy(how));
  const int all = ranks::count();
  if (ranks::root()) {
    for (const int n : {1, all, std::max(1, all - 1), all, 1, all}) {
      e.set_ranks(n);
      seen.wait_until_only(n);
      const auto since = seen.w.count.load();
      seen.w.wait_for_more(500);
      for (int r = n; r < all; ++r)
        EXPECT_LE(seen.last[static_cast<std::size_t>(r)].load(), since) << r << " of " << n;
    }
    e.stop();
  }
  auto r = e.wait();
  if (ranks::root()) {
    EXPECT_TRUE(seen.w.in_order());
  }
  return r;
}

TEST(SetRanks, OfAFarm) {
  if (ranks::count() < 3) GTEST_SKIP() << "of two ranks, without a reserve, one has all of a farm";
  const auto r = leave_and_come_back(
      tw::farm([](long x) { return stamped(x); }, {.replicas = 2 * ranks::count(), .name = "stamp"}),
      two_workers());
  if (!ranks::root()) return;
  EXPECT_EQ(r.stage("stamp").replicas(), 2 * ranks::count()) << "how many a farm has stays";
  EXPECT_TRUE(r.resizes().empty());
}

TEST(SetRanks, OfAFarmThatTheOtherRanksHaveWorkersFor) {
  if (ranks::count() < 3) GTEST_SKIP() << "of two ranks, without a reserve, one has all of a farm";
  leave_and_come_back(
      tw::farm([](long x) { return stamped(x); }, {.replicas = ranks::count(), .name = "stamp"}),
      {.local = tw::pool{.workers = 4}});
}

TEST(SetRanks, OfALineInAFarmBehindAnotherFarm) {
  if (ranks::count() < 3) GTEST_SKIP() << "of two ranks, without a reserve, one has all of a farm";
  const int n = 2 * ranks::count();
  leave_and_come_back(tw::farm([](long x) { return x + 1; }, {.replicas = n, .name = "first"}) |
                          tw::farm(tw::map([](long x) { return stamped(x); }, {.name = "a"}) |
                                       tw::map(
                                           [](done_by d) {
                                             return done_by{d.number - 1, d.rank};
                                           },
                                           {.name = "b"}),
                                   {.replicas = n, .name = "line"}),
                      two_workers());
}

TEST(SetRanks, OfAFarmWhoseKeysAreDividedUp) {
  if (ranks::count() == 1) GTEST_SKIP() << "needs two ranks";
  constexpr long keys = 101;
  auto how = two_workers();
  how.reserve = 1;
  leave_and_come_back(tw::farm(tw::key_by([](const long& x) { return x % keys; },
                                          [](long& n, const long& x) {
                                            const bool all_there = x / keys == n++;
                                            return all_there ? stamped(x, 50us) : done_by{-1, 0};
                                          }),
                               {.replicas = 2 * ranks::count(), .name = "work"}),
                      how);
}

TEST(SetRanks, RanksInReserveCome) {
  if (ranks::count() < 3) GTEST_SKIP() << "needs three ranks";
  const auto limited = watchdog::watch(120s, [] { return std::string("ranks in reserve come"); });
  auto how = two_workers();
  how.reserve = ranks::count() - 1;
  by_rank seen;
  auto e = tw::launch(
      numbers() | tw::farm([](long x) { return stamped(x); }, {.replicas = 2, .name = "stamp"}) | seen.sink(),
      ranks::policy(how));
  if (ranks::root()) {
    seen.w.wait_for_more(500);
    for (int r = 1; r < ranks::count(); ++r) EXPECT_EQ(seen.last[static_cast<std::size_t>(r)].load(), 0U);
    e.set_ranks(2);
    e.set_replicas("stamp", 4);
    seen.wait_until_only(2);
    e.set_replicas("stamp", 64);
    seen.w.wait_for_more(500);
    for (int r = 2; r < ranks::count(); ++r)
      EXPECT_EQ(seen.last[static_cast<std::size_t>(r)].load(), 0U) << "the bound holds";
    e.stop();
  }
  e.wait();
  if (ranks::root()) {
    EXPECT_TRUE(seen.w.in_order());
  }
}

TEST(SetRanks, WhatIsPlacedStays) {
  if (ranks::count() < 3) GTEST_SKIP() << "needs three ranks";
  const auto limited = watchdog::watch(120s, [] { return std::string("a farm that is placed"); });
  auto how = two_workers();
  how.place = {{"stamp", {1, 2}}};
  by_rank seen;
  auto e = tw::launch(numbers() | tw::farm([](long x) { return x; }, {.replicas = 4, .name = "first"}) |
                          tw::farm([](long x) { return stamped(x); }, {.name = "stamp"}) | seen.sink(),
                      ranks::policy(how));
  if (ranks::root()) {
    seen.w.wait_for_more(200);
    e.set_ranks(1);
    seen.w.wait_for_more(2'000);
    const auto since = seen.w.count.load();
    while (seen.last[1] < since || seen.last[2] < since) std::this_thread::sleep_for(500us);
    e.stop();
  }
  const auto r = e.wait();
  if (!ranks::root()) return;
  EXPECT_TRUE(seen.w.in_order());
  EXPECT_THAT(r.notes(), testing::Contains(HasSubstr("'stamp' stay on the ranks where they are, as .place")));
}

TEST(SetRanks, WhatCannotBeSetIsSaid) {
  std::vector<long> seen;
  auto how = two_workers();
  if (ranks::count() > 1) how.place = {{"last", {ranks::count() - 1}}};
  const auto same = [](long x) { return x; };
  auto e = tw::launch(tw::source(std::views::iota(0L, 10L)) | tw::map(same, {.name = "last"}) |
                          tw::farm(same, {.name = "pass"}) | tw::sink(seen, {.name = "write"}),
                      ranks::policy(how));
  EXPECT_THROW(e.set_ranks(0), tw::error);
  EXPECT_THROW(e.set_credits("pass", -1), tw::error);
  EXPECT_THROW(e.set_credits("pass", 1'025), tw::error);
  EXPECT_THROW(e.set_message_bytes(0), tw::error);
  if (ranks::count() == 1) {
    EXPECT_THAT(refusal([&] { e.set_ranks(1); }), HasSubstr("in one process"));
    EXPECT_THAT(refusal([&] { e.set_credits("pass", 1); }), HasSubstr("in one process"));
    EXPECT_THAT(refusal([&] { e.set_message_bytes(1); }), HasSubstr("in one process"));
  } else if (ranks::root()) {
    EXPECT_THAT(refusal([&] { e.set_ranks(ranks::count() + 1); }), HasSubstr("there are"));
    EXPECT_THAT(refusal([&] { e.set_ranks(1); }), HasSubstr("stage 'last' is serial"));
    EXPECT_THAT(refusal([&] { e.set_credits("pas", 1); }), HasSubstr("did you mean 'pass'?"));
    EXPECT_THAT(refusal([&] { e.set_credits("write", 1); }), HasSubstr("does not depend on credit"));
    EXPECT_EQ(refusal([&] { e.set_credits("last", 1); }), "");
  } else {
    EXPECT_THAT(refusal([&] { e.set_ranks(ranks::count()); }), HasSubstr("rank 0 alone"));
    EXPECT_THAT(refusal([&] { e.set_message_bytes(1); }), HasSubstr("rank 0 alone"));
  }
  e.wait();
  if (ranks::root()) {
    EXPECT_EQ(seen.size(), 10U);
  }
}

// A farm on the last rank that does not go on: what is sent there in advance is what credit allows.
TEST(SetCredits, BoundsWhatIsSentInAdvance) {
  if (ranks::count() == 1) GTEST_SKIP() << "needs two ranks";
  const auto limited = watchdog::watch(120s, [] { return std::string("credits are changed"); });
  constexpr std::size_t many = 300;
  constexpr long n = 2'000;
  static std::atomic<bool> open;
  open = false;
  std::atomic<std::size_t> given{0};
  std::vector<long> seen;
  auto how = two_workers();
  how.credits = 1;
  how.batch_bytes = 1;
  how.place = {{"hold", {ranks::count() - 1}}};
  auto e = tw::launch(tw::source([&, i = 0L]() mutable -> std::optional<long> {
                        ++given;
                        return i == n ? std::nullopt : std::optional(i++);
                      }) |
                          tw::farm(
                              [](long x) {
                                while (!open) std::this_thread::sleep_for(1ms);
                                return x;
                              },
                              {.capacity = 4, .name = "hold"}) |
                          tw::sink(seen),
                      ranks::policy(how));
  if (ranks::root()) {
    EXPECT_LT(given, many);
    e.set_credits("hold", 1'000);
    while (given < many) std::this_thread::sleep_for(1ms);
    e.set_credits("hold", 2);  // more is under way than is allowed now
  }
  MPI_Barrier(MPI_COMM_WORLD);
  open = true;
  if (ranks::root()) e.set_credits("hold", 0);
  e.wait();
  if (!ranks::root()) return;
  std::vector<long> wanted(n);
  std::iota(wanted.begin(), wanted.end(), 0L);
  EXPECT_EQ(seen, wanted);
}

TEST(SetMessageBytes, SaysHowManyItemsAMessageHas) {
  if (ranks::count() == 1) GTEST_SKIP() << "needs two ranks";
  const auto limited = watchdog::watch(120s, [] { return std::string("messages get shorter"); });
  auto how = two_workers();
  how.place = {{"stamp", {ranks::count() - 1}}};
  by_rank seen;
  auto e = tw::launch(
      numbers() | tw::farm([](long x) { return stamped(x, 0us); }, {.name = "stamp"}) | seen.sink(),
      ranks::policy(how));
  if (ranks::root()) {
    const auto sent = [&] {
      const auto r = e.stats();
      const auto c = std::ranges::find(r.channels(), "stamp", &tw::channel_report::to);
      return c == r.channels().end() ? tw::channel_report{} : *c;
    };
    const auto items_per_message = [&] {
      const auto before = sent();
      seen.w.wait_for_more(1'000);
      auto now = sent();
      while (now.messages < before.messages + 100) {
        std::this_thread::sleep_for(1ms);
        now = sent();
      }
      return static_cast<double>(now.items - before.items) /
             static_cast<double>(now.messages - before.messages);
    };
    e.set_message_bytes(1);
    while (items_per_message() > 1.5) {
    }
    e.set_message_bytes(1 << 16);
    while (items_per_message() < 3) {
    }
    e.stop();
  }
  e.wait();
  if (ranks::root()) {
    EXPECT_TRUE(seen.w.in_order());
  }
}

// As many ranks as what is due needs, as a planner sees it that sees nothing else.
TEST(SetRanks, ByARunThatAdaptsItself) {
  if (ranks::count() == 1) GTEST_SKIP() << "needs two ranks";
  const auto limited = watchdog::watch(120s, [] { return std::string("a planner changes ranks"); });
  const int all = ranks::count();
  std::atomic<int> working{0};
  auto by_load = [&](const tw::adaptation::window& seen) {
    working = seen.working_ranks();
    for (const auto& r : seen.ranks) EXPECT_GE(r.workers, 1);
    tw::adaptation::changes wanted;
    wanted.ranks = seen.find("count")->due_rate.value_or(0) > 1'000 ? all : 1;
    wanted.reason = "of what is due";
    return wanted;
  };
  auto how = two_workers();
  how.reserve = 1;
  by_rank seen;
  auto e = tw::launch(
      tw::paced([i = 0L]() mutable { return std::optional(i++); }, 100, {.name = "count"}) |
          tw::farm([](long x) { return stamped(x, 0us); }, {.replicas = all, .name = "stamp"}) | seen.sink(),
      ranks::policy(how), {.adapt = tw::adapt{.every = 10ms, .planner = by_load}});
  if (ranks::root()) {
    while (working != 1) std::this_thread::sleep_for(1ms);
    e.set_rate("count", 5'000);
    while (working != all || seen.last[static_cast<std::size_t>(all - 1)] == 0)
      std::this_thread::sleep_for(1ms);
    e.set_rate("count", 500);
    while (working != 1) std::this_thread::sleep_for(1ms);
    seen.w.wait_for_more(200);
    e.stop();
  }
  const auto r = e.wait();
  if (!ranks::root()) return;
  EXPECT_TRUE(seen.w.in_order());
  std::vector<std::string> made;
  for (const auto& d : r.decisions()) made.push_back(d.what);
  EXPECT_THAT(made, testing::Contains("ranks: 1 to " + std::to_string(all)));
  EXPECT_EQ(made.back(), "ranks: " + std::to_string(all) + " to 1");
}

TEST(SetRanks, ByTheDefaultPlannerWithinItsBounds) {
  if (ranks::count() == 1) GTEST_SKIP() << "needs two ranks";
  const auto limited = watchdog::watch(120s, [] { return std::string("the default planner"); });
  const int all = ranks::count();
  auto how = two_workers();
  how.reserve = 1;
  by_rank seen;
  auto e = tw::launch(
      tw::paced([i = 0L]() mutable { return std::optional(i++); }, 1'000, {.name = "count"}) |
          tw::farm([](long x) { return stamped(x, 0us); }, {.replicas = all, .name = "stamp"}) | seen.sink(),
      ranks::policy(how),
      {.adapt = tw::adapt{.every = 10ms, .bounds = {.least_replicas = all, .least_ranks = all}}});
  if (ranks::root()) {
    while (seen.last[static_cast<std::size_t>(all - 1)] == 0) std::this_thread::sleep_for(1ms);
    e.adapt(tw::adapt{.every = 10ms, .bounds = {.least_replicas = all, .most_ranks = 1}});
    seen.wait_until_only(1);
    e.stop();
  }
  e.wait();
  if (ranks::root()) {
    EXPECT_TRUE(seen.w.in_order());
  }
}

// All at once, at any moment, and however the run ends.
TEST(SetRanks, AtAnyMoment) {
  tw::let_travel<long>();  // the types of an `any_pipeline` are not known
  tw::let_travel<done_by>();
  const auto limited = watchdog::watch(240s, [] { return std::string("changes at any moment"); });
  enum ends { by_itself, stopped, cancelled, failed, how_many };
  for (unsigned round = 0; round < 12; ++round) {
    std::mt19937 both(round), mine(100 * round + static_cast<unsigned>(ranks::policy().rank()));
    const auto end = static_cast<ends>(round % how_many);
    const long n = end == by_itself ? 3'000 : 1'000'000'000;
    auto how = two_workers();
    how.reserve = std::min(static_cast<int>(both() % 2), ranks::count() - 1);
    watched w;
    const bool keyed = both() % 2 == 0;
    tw::any_pipeline<long, done_by> work =
        keyed ? tw::any_pipeline<long, done_by>(
                    tw::farm(tw::key_by([](const long& x) { return x % 37; },
                                        [](long& sum, const long& x) {
                                          return x / 37 == sum++ ? done_by{x, 0} : done_by{-1, 0};
                                        }),
                             {.replicas = 3, .name = "work"}))
              : tw::any_pipeline<long, done_by>(
                    tw::farm([](long x) { return stamped(x, 0us); }, {.replicas = 3, .name = "work"}));
    auto e = tw::launch(tw::source(std::views::iota(0L, n)) |
                            tw::farm(
                                [end](long x) {
                                  if (end == failed && x == 20'000) throw std::runtime_error("no more");
                                  return x;
                                },
                                {.replicas = 2, .name = "first"}) |
                            work | w.sink(),
                        ranks::policy(how));
    const auto roll = [&](int most) { return 1 + static_cast<int>(mine() % static_cast<unsigned>(most)); };
    const bool among_several = ranks::count() > 1;
    const bool ends_it = ranks::root() && (end == stopped || end == cancelled);
    for (int i = 0; i < 60 && !e.done(); ++i) {
      e.set_replicas(roll(2) == 1 ? "work" : "first", roll(7));
      if (ranks::root() && among_several) {
        e.set_ranks(roll(ranks::count()));
        e.set_credits("first", roll(5) - 1);
        e.set_message_bytes(static_cast<std::size_t>(roll(1 << roll(16))));
        e.set_run_length(std::chrono::microseconds(roll(500)));
        if (i % 16 == 3) e.pause();
        if (i % 16 == 7) e.resume();
      }
      std::this_thread::sleep_for(std::chrono::microseconds(roll(500)));
    }
    if (ranks::root()) e.resume();
    if (ends_it) end == stopped ? e.stop() : e.cancel();
    try {
      e.wait();
      EXPECT_NE(end, failed);
    } catch (const tw::error& why) {
      EXPECT_EQ(end, failed) << why.what();
    }
    if (!ranks::root() || end == cancelled || end == failed) continue;
    EXPECT_TRUE(w.in_order()) << "round " << round;
    if (end == by_itself) {
      EXPECT_EQ(w.seen.size(), static_cast<std::size_t>(n)) << "round " << round;
    }
  }
}

}  // namespace
