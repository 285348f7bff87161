// How runs on several ranks end other than by the end of the stream, and what is refused before they begin.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "../../examples/own_policy/stagewise.hpp"
#include "mpi/ranks.hpp"
#include "mpi/refusal.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

auto endless() {
  return tw::source([n = 0L]() mutable -> std::optional<long> { return n++; }, {.name = "count"});
}

TEST(End, AnExceptionInAFarmComesOutEverywhere) {
  for (int i = 0; i < 5; ++i) {
    std::vector<long> seen;
    try {
      tw::run(endless() |
                  tw::farm(
                      [](const long& x) {
                        if (x == 5'000) throw std::domain_error("five thousand");
                        return x;
                      },
                      {.name = "pass"}) |
                  tw::sink(seen),
              ranks::policy());
      ADD_FAILURE() << "it has not thrown";
    } catch (const tw::stage_error& e) {
      EXPECT_EQ(e.stage(), "pass");
      EXPECT_THAT(e.what(), HasSubstr("five thousand"));
      EXPECT_GE(e.rank(), 0);
      if (ranks::count() > 1) {
        EXPECT_THAT(e.what(), HasSubstr("on rank " + std::to_string(e.rank())));
        EXPECT_FALSE(e.host().empty());
        EXPECT_THAT(e.what(), HasSubstr(", " + e.host() + ")"));
      }
      if (e.rank() == ranks::policy().rank()) {
        EXPECT_THROW(std::rethrow_exception(e.cause()), std::domain_error);
      } else {
        EXPECT_THROW(std::rethrow_exception(e.cause()), tw::error);
      }
    }
    // What has come to the sink is the beginning of the stream.
    for (std::size_t k = 0; k < seen.size(); ++k) ASSERT_EQ(seen[k], static_cast<long>(k));
    EXPECT_LE(seen.size(), 5'000U);
  }
}

TEST(End, AnExceptionInTheSource) {
  EXPECT_THROW(tw::run(tw::source([n = 0]() mutable -> std::optional<int> {
                         if (n == 100) throw std::runtime_error("no more");
                         return n++;
                       }) | tw::farm([](const int& x) { return x; }) |
                           tw::sink([](int) {}),
                       ranks::policy()),
               tw::stage_error);
}

TEST(End, AnExceptionInTheSink) {
  try {
    tw::run(endless() | tw::farm([](const long& x) { return x; }) |
                tw::sink(
                    [](long x) {
                      if (x == 3'000) throw std::runtime_error("full");
                    },
                    {.name = "write"}),
            ranks::policy());
    ADD_FAILURE() << "it has not thrown";
  } catch (const tw::stage_error& e) {
    EXPECT_EQ(e.stage(), "write");
    EXPECT_EQ(e.rank(), 0);
  }
}

TEST(End, ErrorsThatAreSkipped) {
  std::vector<long> seen;
  const auto r = tw::run(tw::source(std::views::iota(0L, 10'000L)) |
                             tw::farm(
                                 [](const long& x) {
                                   if (x % 10 == 3) throw std::runtime_error("three");
                                   return x;
                                 },
                                 {.on_error = tw::skip, .name = "pass"}) |
                             tw::sink(seen),
                         ranks::policy());
  if (!r.is_root()) return;
  std::vector<long> wanted;
  for (long x = 0; x < 10'000; ++x) {
    if (x % 10 != 3) wanted.push_back(x);
  }
  EXPECT_EQ(seen, wanted);
  EXPECT_EQ(r.stage("pass").skipped(), 1'000U);
}

// Dead letters are told on the rank where the item failed, one at a time; what they leave closes its gap.
TEST(End, ErrorsThatAreTriedAgainOrBuried) {
  for (const bool keyed : {false, true}) {
    std::vector<long> seen;
    std::int64_t buried = 0;
    auto fails = [failed = -1L](const long& x) mutable {
      if (x % 10 == 3) throw std::runtime_error("three");
      if (x % 10 == 4 && std::exchange(failed, x) != x) throw std::runtime_error("four, once");
      return x;
    };
    const tw::options opts{
        .on_error = tw::retry(1).then(tw::dead_letter([&](const long& x, const std::exception_ptr&) {
          EXPECT_EQ(x % 10, 3);
          ++buried;
        })),
        .name = "pass"};
    const auto job = [&](auto farm) {
      return tw::source(std::views::iota(0L, 5'000L)) | std::move(farm) | tw::sink(seen);
    };
    const auto r =
        keyed ? tw::run(
                    job(tw::farm(tw::key_by([](const long& x) { return x % 50; },
                                            [fails](long&, const long& x) mutable { return fails(x); }, opts),
                                 {.replicas = 4})),
                    ranks::away({"pass"}))
              : tw::run(
                    job(tw::farm(tw::map(tw::per_replica([fails] { return fails; }), opts), {.replicas = 4})),
                    ranks::away({"pass"}));
    if (ranks::count() > 1) {
      EXPECT_TRUE(ranks::root() ? buried == 0 : buried <= 500);
    }
    if (!r.is_root()) continue;
    std::vector<long> wanted;
    for (long x = 0; x < 5'000; ++x) {
      if (x % 10 != 3) wanted.push_back(x);
    }
    EXPECT_EQ(seen, wanted);
    std::uint64_t told = 0, retries = 0;
    for (const auto& stage : r.stages()) {
      told += stage.dead_lettered();
      retries += stage.retries();
    }
    EXPECT_EQ(told, 500U);
    EXPECT_EQ(retries, 1'000U);
  }
}

TEST(End, StopLetsAllThroughThatIsOnItsWay) {
  std::atomic<long> read{0};
  std::vector<long> seen;
  auto e = tw::launch(tw::source([&]() -> std::optional<long> { return read++; }) |
                          tw::farm([](const long& x) { return x; }) | tw::sink(seen),
                      ranks::policy());
  std::this_thread::sleep_for(50ms);
  if (ranks::policy().rank() == ranks::count() - 1) e.stop();  // the source may be elsewhere
  e.wait();
  if (!ranks::root()) return;
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(read.load()));
  for (std::size_t k = 0; k < seen.size(); ++k) ASSERT_EQ(seen[k], static_cast<long>(k));
}

TEST(End, CancelIsNoError) {
  auto e = tw::launch(endless() | tw::farm([](const long& x) { return x; }) | tw::sink([](long) {}),
                      ranks::policy());
  std::this_thread::sleep_for(20ms);
  if (ranks::policy().rank() == ranks::count() - 1) e.cancel();
  EXPECT_NO_THROW(e.wait());
}

// Who learns of it only by its report has to find it there.
TEST(End, ARankThatGivesUpTheRunIsNamed) {
  if (ranks::count() == 1) GTEST_SKIP() << "there is no other rank";
  auto e = tw::launch(endless() | tw::farm([](const long& x) { return x; }) | tw::sink([](long) {}),
                      ranks::policy());
  if (ranks::policy().rank() == 1) {
    const tw::execution given_up = std::move(e);
    return;
  }
  const auto r = e.wait();
  if (r.is_root()) {
    EXPECT_THAT(r.notes(), testing::Contains(HasSubstr("rank 1 has cancelled the run")));
  }
}

// Which of them is the first may differ from rank to rank: here they are the same.
TEST(End, SeveralThreadsMayBeginRunsAtOnce) {
  for (int i = 0; i < 5; ++i) {
    long sums[2] = {};
    const auto one = [&](long& sum) {
      tw::run(tw::source(std::views::iota(0L, 500L)) | tw::farm([](const long& x) { return x; }) |
                  tw::sink([&](long x) { sum += x; }),
              ranks::policy());
    };
    std::thread other([&] { one(sums[1]); });
    one(sums[0]);
    other.join();
    if (!ranks::root()) continue;
    EXPECT_EQ(sums[0], 124'750);
    EXPECT_EQ(sums[1], 124'750);
  }
}

struct torn {
  int x = 0;
};

}  // namespace

template <> struct thalweg::codec<torn> {
  static std::string tag() { return "torn"; }
  static void write(byte_writer& to, const torn& t) { to(t.x); }
  static void read(byte_reader& from, torn& t) {
    from(t.x);
    if (t.x == 50) from(t.x);
  }
};

namespace {

TEST(End, ACodecThatFailsIsNamedByItsItemsAndTheirWay) {
  if (ranks::count() == 1) GTEST_SKIP() << "nothing travels";
  const auto why = refusal([] {
    tw::run(tw::source(std::views::iota(0, 100) | std::views::transform([](int x) { return torn{x}; }),
                       {.name = "take"}) |
                tw::farm([](const torn& t) { return t.x; }, {.name = "read"}) | tw::sink([](int) {}),
            ranks::away({"read"}));
  });
  EXPECT_THAT(why,
              HasSubstr("items of type torn that go from stage 'take' to stage 'read': sent by rank 0: "));
}

// Of a farm whose items one rank divides up: what could not be read is no message.
TEST(End, ACodecThatFailsWhereItemsAreDividedUpIsNamed) {
  if (ranks::count() == 1) GTEST_SKIP() << "nothing travels";
  const auto why = refusal([] {
    tw::run(tw::source(std::views::iota(0, 2'000) | std::views::transform([](int x) { return torn{x}; }),
                       {.name = "take"}) |
                tw::farm([](const torn& t) { return torn{t.x - 1}; },
                         {.name = "read", .schedule = tw::round_robin}) |
                tw::sink([](torn) {}),
            ranks::policy({.place = {{"read", {0, ranks::count() - 1}}}}));
  });
  EXPECT_THAT(why, HasSubstr("that go from stage "));
  EXPECT_THAT(why, HasSubstr("an item is cut off"));
}

TEST(End, APauseHoldsTheSourceWhereverItIs) {
  using clock = std::chrono::steady_clock;
  clock::duration longest{};
  auto last = clock::now();
  long read = 0, read_before = 0;
  auto e = tw::launch(tw::source([&]() -> std::optional<long> {
                        std::this_thread::sleep_for(100us);
                        const auto now = clock::now();
                        if (now - last > longest) {
                          longest = now - last;
                          read_before = read;
                        }
                        last = now;
                        return read++;
                      }) | tw::farm([](const long& x) { return x; }) |
                          tw::sink([](long) {}),
                      ranks::policy());
  if (ranks::policy().rank() == ranks::count() - 1) {
    std::this_thread::sleep_for(50ms);
    e.pause();
    std::this_thread::sleep_for(600ms);
    e.resume();
    std::this_thread::sleep_for(50ms);
    e.stop();
  }
  e.wait();
  if (!ranks::root()) return;
  EXPECT_GE(longest, 200ms);  // however long a pause takes to come here, its end takes about as long
  EXPECT_GT(read, read_before);
}

// --- refused ---

void run_named(const tw::mpi& how) {
  tw::run(tw::source(std::vector{1, 2}, {.name = "read"}) |
              tw::farm([](const int& x) { return x; }, {.name = "pass"}) | tw::sink([](int) {}),
          how);
}

TEST(Refused, PlacesThatDoNotExist) {
  EXPECT_THAT(refusal([] {
                run_named(ranks::policy({.place = {{"pass", {0, 99}}}}));
              }),
              HasSubstr("names rank 99, but there are ranks 0 to"));
  EXPECT_THAT(refusal([] {
                run_named(ranks::policy({.place = {{"nobody", {0}}}}));
              }),
              HasSubstr("names stage 'nobody', which does not exist"));
  EXPECT_THAT(refusal([] {
                run_named(ranks::policy({.place = {{"pass", {}}}}));
              }),
              HasSubstr("names no rank"));
  if (ranks::count() == 1) return;  // that one executes everything, and nothing else is wrong
  EXPECT_THAT(refusal([] {
                run_named(ranks::policy({.place = {{"read", {0, 1}}}}));
              }),
              HasSubstr("the stage is serial"));
}

TEST(Refused, NumbersThatMakeNoSense) {
  EXPECT_THAT(refusal([] { run_named(ranks::policy({.grouping = 0})); }), HasSubstr(".grouping must be"));
  EXPECT_THAT(refusal([] { run_named(ranks::policy({.credits = -2})); }), HasSubstr(".credits must be"));
  for (const auto patience : {-1ms, 1ms})
    EXPECT_THAT(refusal([&] { run_named(ranks::policy({.patience = patience})); }),
                HasSubstr(".patience must be at least 100 ms"));
  EXPECT_THAT(refusal([] { run_named(ranks::policy({.patience = std::chrono::milliseconds::max()})); }),
              HasSubstr(".patience must be at most a year"));
  EXPECT_THAT(refusal([] { run_named(ranks::policy({.grouping = 2, .apart = true})); }),
              HasSubstr(".grouping and .apart: only one of them"));
  EXPECT_THAT(refusal([] {
                run_named(ranks::policy({.grouping = 2, .costs = {{"pass", 1ms}}}));
              }),
              HasSubstr(".grouping and .costs: only one of them"));
  for (const auto bytes : {std::size_t{0}, static_cast<std::size_t>(-1)})
    EXPECT_THAT(refusal([&] { run_named(ranks::policy({.batch_bytes = bytes})); }),
                HasSubstr(".batch_bytes must be between"));
}

TEST(Refused, OtherJobsOnOtherRanks) {
  if (ranks::count() == 1) GTEST_SKIP() << "there is no other rank";
  const std::string name = ranks::policy().rank() == 1 ? "other" : "pass";
  EXPECT_THAT(
      refusal([&] {
        tw::run(tw::source(std::vector{1}) | tw::farm([](const int& x) { return x; }, {.name = name}) |
                    tw::sink([](int) {}),
                ranks::policy());
      }),
      HasSubstr("rank 1 runs another job than rank 0, or the same with other options or arguments: it has "
                "[stage 2: 'other', map in farm 1, gives i32], but rank 0 has [stage 2: 'pass', map in"));
}

TEST(Refused, OtherOptionsOnOtherRanks) {
  if (ranks::count() == 1) GTEST_SKIP() << "there is no other rank";
  const int credits = ranks::policy().rank() == 1 ? 3 : 2;
  EXPECT_THAT(refusal([&] { run_named(ranks::policy({.credits = credits})); }),
              HasSubstr("it has [.credits = 3], but rank 0 has [.credits = 2]"));
}

TEST(Refused, OtherConnectionsOnOtherRanks) {
  if (ranks::count() == 1) GTEST_SKIP() << "there is no other rank";
  tw::let_travel<long>();
  std::vector<long> seen;
  tw::graph g;
  auto& split = g.add<tw::split<long>>(tw::where<long>([](const long& x) { return x % 2 == 0; }));
  auto& merge = g.add<tw::merge<long>>(tw::first_come);
  g.connect(g.add(tw::source(std::views::iota(0L, 100L))).out, split.in);
  for (const std::size_t i : {0, 1})
    g.connect(split.branch(ranks::policy().rank() == 1 ? 1 - i : i), merge.input());
  g.connect(merge.out, g.add(tw::sink(seen)).in);
  EXPECT_THAT(
      refusal([&] { tw::run(g, ranks::policy()); }),
      HasSubstr(
          "it has [connection of 'split-0' (1) to 'merge-1' (0)], but rank 0 has [connection of 'split-0' "
          "(0) to 'merge-1' (0)]"));
}

// It would execute the whole job on each rank.
TEST(Refused, ALocalPolicyWithAnEngineOfItsOwn) {
  const auto why = refusal([] { run_named(ranks::policy({.local = policies::stagewise()})); });
  if (ranks::count() == 1) {
    EXPECT_EQ(why, "");
  } else {
    EXPECT_THAT(why,
                HasSubstr("the policy 'stagewise' has an engine of its own, which cannot share the stages"));
  }
}

TEST(Refused, AStagePlacedTwice) {
  if (ranks::count() == 1) GTEST_SKIP() << "one rank executes everything";
  EXPECT_THAT(refusal([] {
                run_named(ranks::policy({.place = {{"pass", {1}}, {"pass", {0}}}}));
              }),
              HasSubstr("'pass': the stage is already placed"));
}

// The program has not said anything of costs: who has is named.
TEST(Refused, GroupingBesideCostsOfASavedReport) {
  if (ranks::count() == 1) GTEST_SKIP() << "one rank executes everything";
  const auto file = testing::TempDir() + "report" + std::to_string(::getpid()) + ".json";
  std::ofstream(file) << tw::run(tw::source(std::vector{1, 2}, {.name = "read"}) |
                                 tw::farm([](const int& x) { return x; }, {.name = "pass"}) |
                                 tw::sink([](int) {}, {.name = "write"}))
                             .to_json();
  setenv("THALWEG_COSTS", file.c_str(), 1);
  const auto said = refusal([] { run_named(ranks::policy({.grouping = 2})); });
  unsetenv("THALWEG_COSTS");
  std::remove(file.c_str());
  EXPECT_THAT(said, HasSubstr(".grouping and THALWEG_COSTS: only one of them"));
}

TEST(Refused, MoreRanksInReserveThanThereAre) {
  EXPECT_THAT(refusal([] { run_named(ranks::policy({.reserve = ranks::count()})); }),
              HasSubstr("rank 0 always takes part"));
}

TEST(Refused, AStageOnARankInReserve) {
  if (ranks::count() == 1) GTEST_SKIP() << "one rank executes everything";
  const int last = ranks::count() - 1;
  EXPECT_THAT(refusal([&] {
                run_named(ranks::policy({.place = {{"pass", {last}}}, .reserve = 1}));
              }),
              HasSubstr("'pass' names rank " + std::to_string(last) + ", which is in .reserve"));
}

TEST(Refused, ATraceThatCannotBeWritten) {
  if (ranks::count() == 1) GTEST_SKIP() << "its only rank says so at the end";
  long items = 0;
  EXPECT_THAT(refusal([&] {
                tw::run(tw::source(std::views::iota(0, 10)) | tw::farm([](const int& x) { return x; }) |
                            tw::sink([&](int) { ++items; }),
                        ranks::policy(), {.trace = "/no/such/folder/trace.json"});
              }),
              HasSubstr("rank 0 cannot write the trace to '/no/such/folder/trace.json': No such file"));
  EXPECT_EQ(items, 0);
}

TEST(Refused, SamplesThatCannotBeWritten) {
  if (ranks::count() == 1) GTEST_SKIP() << "its only rank throws a system_error";
  long items = 0;
  EXPECT_THAT(refusal([&] {
                tw::run(tw::source(std::views::iota(0, 10)) | tw::farm([](const int& x) { return x; }) |
                            tw::sink([&](int) { ++items; }),
                        ranks::policy(), {.monitor = "/no/such/folder/run.jsonl"});
              }),
              HasSubstr("rank 0 cannot write the samples to '/no/such/folder/run.jsonl': No such file"));
  EXPECT_EQ(items, 0);
}

// The inner merge asks for the order in which the inner split has dealt out: only one rank knows it.
TEST(Refused, BranchesWithinBranchesThatAnotherRankPutsTogether) {
  if (ranks::count() == 1) GTEST_SKIP() << "one rank executes everything";
  tw::let_travel<long>();
  const auto half = [] { return tw::where<long>([](const long& x) { return x % 2 == 0; }); };
  std::vector<long> seen;
  tw::graph g;
  auto& outer = g.add<tw::split<long>>(half());
  auto& last = g.add<tw::merge<long>>(tw::ordered);
  auto& inner = g.configure(g.add<tw::split<long>>(half()), {.name = "part"});
  auto& together = g.configure(g.add<tw::merge<long>>(tw::ordered), {.name = "join"});
  g.connect(g.add(tw::source(std::views::iota(0L, 100L))).out, outer.in);
  g.connect(outer.branch(0), inner.in);
  g.connect(inner.branch(0), together.input());
  g.connect(inner.branch(1), together.input());
  g.connect(together.out, last.input());
  g.connect(outer.branch(1), last.input());
  g.connect(last.out, g.add(tw::sink(seen)).in);
  EXPECT_THAT(refusal([&] {
                tw::run(g, ranks::policy({.place = {{"join", {1}}}}));
              }),
              HasSubstr("'join' restores the order of the branches of stage 'part'"));
  seen.clear();
  EXPECT_EQ(refusal([&] { tw::run(g, ranks::policy({.place = {{"part", {1}}, {"join", {1}}}})); }), "");
  if (!ranks::root()) return;
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

struct not_known {
  int x = 0;
};

TEST(Refused, TypesOfWhichNothingIsKnown) {
  if (ranks::count() == 1) GTEST_SKIP() << "nothing travels";
  const tw::any_policy erased = ranks::policy();
  const auto run_it = [&] {
    tw::run(tw::source(std::vector<not_known>(3)) | tw::farm([](const not_known& x) { return x; }) |
                tw::sink([](const not_known&) {}),
            erased);
  };
  EXPECT_THAT(refusal(run_it), HasSubstr("not_known travel from stage"));
  tw::let_travel<not_known>();
  EXPECT_EQ(refusal(run_it), "");
}

}  // namespace
