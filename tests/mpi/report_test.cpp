// What rank 0 knows of all ranks when a run has ended.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include "../../src/run/distributed/mpi/clocks.hpp"
#include "mpi/ranks.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

constexpr long many = 5'000;

auto line(std::chrono::microseconds work = 0us) {
  return tw::source(std::views::iota(0L, many), {.name = "read"}) |
         tw::farm(
             [work](const long& x) {
               if (work > 0us && x % 100 == 0) std::this_thread::sleep_for(work);
               return x;
             },
             {.name = "pass"}) |
         tw::sink([](long) {}, {.name = "write"});
}

TEST(Report, HasARowForEachRank) {
  const auto r = tw::run(line(), ranks::away({"pass"}));
  if (!r.is_root() || ranks::count() == 1) {
    EXPECT_TRUE(r.ranks().empty());
    return;
  }
  ASSERT_EQ(r.ranks().size(), static_cast<std::size_t>(ranks::count()));
  int workers = 0;
  std::chrono::nanoseconds cpu{0};
  for (int i = 0; i < ranks::count(); ++i) {
    const auto& one = r.ranks()[static_cast<std::size_t>(i)];
    EXPECT_EQ(one.rank, i);
    EXPECT_FALSE(one.host.empty());
    EXPECT_GT(one.cpu.count(), 0);
    EXPECT_GT(one.peak_bytes, 1'000'000U);
    EXPECT_EQ(one.clock_off.count(), 0) << "all are on one host";
    workers += one.workers;
    cpu += one.cpu;
  }
  EXPECT_EQ(r.workers(), workers);
  EXPECT_NEAR(static_cast<double>(r.cpu_time().count()), static_cast<double>(cpu.count()), 0.5e9);
  EXPECT_EQ(r.stage("read").ranks(), std::vector<int>{0});
  EXPECT_EQ(r.stage("pass").ranks().size(), r.ranks().size() - 1);
  EXPECT_THAT(r.to_string(), HasSubstr("peak memory"));
}

TEST(Report, CountsWhatHasTravelled) {
  const auto r = tw::run(line(), ranks::away({"pass"}));
  if (!r.is_root() || ranks::count() == 1) return;
  ASSERT_EQ(r.channels().size(), 2U);
  std::uint64_t messages = 0, bytes = 0, credits = 0;
  for (const auto& c : r.channels()) {
    EXPECT_EQ(c.items, static_cast<std::uint64_t>(many));
    EXPECT_GT(c.messages, 0U);
    EXPECT_GT(c.bytes, many * sizeof(long));
    messages += c.messages;
    bytes += c.bytes;
    credits += c.credits;
  }
  EXPECT_EQ(r.channels()[0].from, "read");
  EXPECT_EQ(r.channels()[0].to, "pass");
  EXPECT_EQ(r.channels()[1].to, "write");
  for (const auto& one : r.ranks()) {
    messages -= one.messages;
    bytes -= one.bytes;
    credits -= one.credits;
  }
  EXPECT_EQ(messages, 0U);
  EXPECT_EQ(bytes, 0U);
  EXPECT_EQ(credits, 0U);
  // One for each message at most, and a few that say how many may be under way from now on.
  EXPECT_LE(r.channels()[0].credits, r.channels()[0].messages + 16);
  const auto json = nlohmann::json::parse(r.to_json());
  EXPECT_EQ(json.at("ranks").size(), r.ranks().size());
  EXPECT_EQ(json.at("channels").at(0).at("items"), many);
}

// What all ranks have said to each other.
struct said {
  std::uint64_t messages = 0, credits = 0, others = 0;
  explicit said(const tw::report& r) {
    for (const auto& one : r.ranks()) {
      messages += one.messages;
      credits += one.credits;
      others += one.others;
    }
  }
};

TEST(Report, CountsEndsAndTheHeartbeatAmongTheOthers) {
  const auto quiet = tw::run(line(), ranks::away({"pass"}, {.patience = 0ms}));
  constexpr std::chrono::nanoseconds patience = 3s;
  const auto r = tw::run(line(), ranks::away({"pass"}, {.patience = 3s}));
  if (!r.is_root() || ranks::count() == 1) return;
  // From rank 0 to all that have the farm, and back.
  const auto ends = 2 * static_cast<std::uint64_t>(ranks::count() - 1);
  EXPECT_EQ(said(quiet).others, ends);
  // Each has said at least that this was the last time; before, that it is alive, if the run was long enough.
  const auto beats = said(r).others - ends;
  EXPECT_GE(beats, static_cast<unsigned>(ranks::count()));
  const auto in_time = static_cast<std::uint64_t>(r.elapsed() / (patience / 4)) + 1;
  EXPECT_LE(beats, (2 + in_time) * static_cast<unsigned>(ranks::count()));
}

// What cannot be had with so few ranks is told, not refused: a program may be started with any number of
// them.
TEST(Report, TooFewRanksToBeApartAreNoted) {
  const auto r = tw::run(line(), ranks::policy({.apart = true}));
  if (!r.is_root()) return;
  const auto note = testing::Contains(HasSubstr(".apart needs a rank for the source"));
  if (ranks::count() < 3) {
    EXPECT_THAT(r.notes(), note);
  } else {
    EXPECT_THAT(r.notes(), testing::Not(note));
  }
}

// Who gets messages of a rank knows that it is alive.
TEST(Report, NoHeartbeatWhereItemsFlow) {
  if (ranks::count() != 2) GTEST_SKIP() << "of several ranks some do not write to the next one";
  constexpr std::chrono::nanoseconds patience = 2s;
  const auto pass = [](const int& x) {
    std::this_thread::sleep_for(1ms);
    return x;
  };
  const auto r = tw::run(
      tw::source(std::views::iota(0, 2'000)) | tw::farm(pass, {.name = "pass"}) | tw::sink([](int) {}),
      ranks::away({"pass"}, {.batch_bytes = sizeof(int), .patience = 2s}));
  if (!r.is_root()) return;
  const auto beats = said(r).others - 2;
  // Some, where the machine does other work for longer than is between two.
  EXPECT_LE(beats, 2 + static_cast<std::uint64_t>(r.elapsed() / (patience / 4)));
}

// Less than a thousandth of what is sent is neither items nor credit; and where many runs wait, one message
// credits many of them.
TEST(Report, LittleIsSaidBesidesItemsAndCredit) {
  const long items = 8'000L * std::max(1, ranks::count() - 1);
  const auto r =
      tw::run(tw::source(std::views::iota(0L, items), {.name = "read"}) |
                  tw::farm(
                      [](const long& x) {
                        std::this_thread::sleep_for(50us);
                        return x;
                      },
                      {.name = "pass"}) |
                  tw::sink([](long) {}, {.name = "write"}),
              // The heartbeat goes by time, and how long this takes by what else the machine does.
              ranks::away({"pass"}, {.credits = 64, .batch_bytes = sizeof(long), .patience = 30s}));
  if (!r.is_root() || ranks::count() == 1) return;
  const said all(r);
  EXPECT_GE(all.messages, 2 * static_cast<std::uint64_t>(items)) << "each item is a message";
  EXPECT_LT(1'000 * all.others, all.messages);
  const auto& to_farm = r.channels().front();
  EXPECT_GT(to_farm.credits, 0U);
  EXPECT_LT(2 * to_farm.credits, to_farm.messages);
}

TEST(Report, SaysWhoHadToWaitForCredit) {
  const auto r = tw::run(line(3ms), ranks::away({"pass"}, {.credits = 1, .batch_bytes = 64}));
  if (!r.is_root() || ranks::count() == 1) return;
  EXPECT_GT(r.channels()[0].blocked, 5ms);  // the farm is slow, and the source is not
}

// More credit than there are items, however slow the farm and the machine are.
TEST(Report, SaysThatNobodyHadToWaitForCredit) {
  constexpr long items = 500;
  const auto slow = [](long x) {
    if (x % 100 == 0) std::this_thread::sleep_for(3ms);
    return x;
  };
  const auto r = tw::run(tw::source(std::views::iota(0L, items)) | tw::farm(slow) | tw::sink([](long) {}),
                         ranks::policy({.credits = 2 * items, .batch_bytes = 64}));
  if (!r.is_root() || ranks::count() == 1) return;
  for (const auto& c : r.channels()) EXPECT_EQ(c.blocked.count(), 0) << c.to;
}

TEST(Report, HasTheLatenciesOfASinkElsewhere) {
  const auto r = tw::run(line(), ranks::policy({.place = {{"write", {ranks::count() - 1}}}}));
  if (!r.is_root()) return;
  EXPECT_EQ(r.items(), static_cast<std::uint64_t>(many));
  EXPECT_EQ(r.latency().sampled() ? std::uint64_t{many} : r.latency().count(), std::uint64_t{many});
  EXPECT_GT(r.latency().max().count(), 0);
  EXPECT_EQ(r.stage("write").latency().count(), r.latency().count());
}

// Rank 0 writes; its last sample has what all have done.
TEST(Report, HasSamplesOfAllRanksAtTheEnd) {
  const auto file = testing::TempDir() + "samples" + std::to_string(::getpid()) + ".jsonl";
  const auto r = tw::run(line(), ranks::away({"pass"}), {.monitor = file, .every = 1ms});
  if (!r.is_root()) {
    EXPECT_FALSE(std::filesystem::exists(file));
    return;
  }
  std::string text, last;
  for (std::ifstream in(file); std::getline(in, text);) last = text;
  const auto sample = nlohmann::json::parse(last);
  EXPECT_EQ(sample["final"], true);
  EXPECT_EQ(sample["items"], static_cast<std::uint64_t>(many));
  for (const auto& s : sample["stages"]) EXPECT_EQ(s["items_in"], r.stage(std::string(s["name"])).items_in());
  std::filesystem::remove(file);
}

TEST(Trace, OfAllRanksIsOne) {
  const auto file = testing::TempDir() + "trace" + std::to_string(::getpid()) + ".json";
  const auto r = tw::run(line(), ranks::away({"pass"}), {.trace = file});
  if (!r.is_root()) {
    EXPECT_FALSE(std::ifstream(file)) << "rank 0 writes it";
    return;
  }
  const auto trace = nlohmann::json::parse(std::ifstream(file));
  std::remove(file.c_str());
  std::set<int> processes, executing;
  for (const auto& e : trace.at("traceEvents")) {
    if (e.at("name") == "process_name") processes.insert(e.at("pid").get<int>());
    if (e.at("ph") != "X") continue;
    EXPECT_GE(e.at("ts").get<double>(), 0);
    EXPECT_LE(e.at("ts").get<double>(), static_cast<double>(r.elapsed().count()) / 1e3 + 1e6);
    if (e.at("name").get<std::string>().find("pass") != std::string::npos)
      executing.insert(e.at("pid").get<int>());
  }
  EXPECT_EQ(processes.size(), static_cast<std::size_t>(ranks::count()));
  EXPECT_FALSE(executing.empty());
  EXPECT_EQ(executing.contains(1), ranks::count() == 1) << "rank 0 has no replica";
}

// All ranks have one clock here; measured as if they had not, nobody may be further off than what is said.
TEST(Clocks, AreAsFarApartAsIsSaid) {
  std::vector<int> each_its_own(static_cast<std::size_t>(ranks::count()));
  std::iota(each_its_own.begin(), each_its_own.end(), 0);
  const auto times = tw::run_detail::distributed::clocks::measured(MPI_COMM_WORLD, each_its_own);
  for (int r = 0; r < ranks::count(); ++r) {
    const auto& one = times.of(r);
    EXPECT_LE(std::abs(one.ahead_ns), one.off_ns) << r;
    EXPECT_EQ(one.off_ns > 0, r > 0);
    EXPECT_EQ(times.shift(0, r), one.ahead_ns);
    EXPECT_EQ(times.shift(r, 0), -one.ahead_ns);
  }
}

// A source that gives many items in one call, some of which have left before it returns.
TEST(Report, NoItemIsOlderThanTheRun) {
  auto e = tw::launch(tw::source([n = 0L]() mutable -> std::optional<long> { return n++; }) |
                          tw::farm([](const long& x) { return x + 1; }) | tw::farm([](const long& x) {
                            std::this_thread::sleep_for(std::chrono::microseconds(20));
                            return x + 1;
                          }) |
                          tw::sink([](long) {}),
                      ranks::policy({.local = tw::threads{}}));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  if (ranks::root()) e.stop();
  const auto r = e.wait();
  if (!r.is_root()) return;
  EXPECT_GT(r.latency().count(), 0U);
  EXPECT_LE(r.latency().max(), r.elapsed());
}

}  // namespace
