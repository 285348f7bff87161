// What rank 0 knows of all ranks while a run goes on; and how little is said for that.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "../../src/run/distributed/mpi/differences.hpp"
#include "mpi/ranks.hpp"
#include "support/eventually.hpp"

namespace tw = thalweg;
namespace distributed = thalweg::run_detail::distributed;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

auto endless(std::chrono::microseconds between = 0us) {
  return tw::source(
             [between, n = 0L]() mutable -> std::optional<long> {
               if (between > 0us) std::this_thread::sleep_for(between);
               return n++;
             },
             {.name = "read"}) |
         tw::farm([](const long& x) { return x; }, {.name = "pass"}) |
         tw::sink([](long) {}, {.name = "write"});
}

TEST(Figures, AreThoseOfAllRanksWhileTheRunGoesOn) {
  auto e = tw::launch(endless(), ranks::away({"pass"}));
  if (!ranks::root()) {
    e.wait();
    return;
  }
  if (ranks::count() > 1) {
    EXPECT_TRUE(eventually([&] {
      const auto now = e.stats();
      const auto& rows = now.ranks();
      return rows.size() == static_cast<std::size_t>(ranks::count()) &&
             std::ranges::all_of(rows, [](const auto& r) { return r.messages > 0; });
    })) << e.stats();
  }
  const auto before = e.stats();
  EXPECT_FALSE(before.final());
  EXPECT_TRUE(eventually([&] {
    const auto now = e.stats();
    const auto window = now.since(before);
    for (std::size_t r = 0; r < window.ranks().size(); ++r)
      EXPECT_EQ(window.ranks()[r].messages, now.ranks()[r].messages - before.ranks()[r].messages);
    return window.stage("pass").items_in() > 1'000 && window.stage("write").items_in() > 1'000;
  })) << e.stats();
  const auto now = e.stats();
  for (const auto& row : now.ranks()) {
    EXPECT_GT(row.age, 0ns) << row.rank;
    EXPECT_LE(row.age, now.elapsed()) << row.rank;
    EXPECT_GT(row.cpu, 0ns) << row.rank;
    EXPECT_FALSE(row.host.empty()) << row.rank;
    EXPECT_LE(row.messages, 2 * now.stage("read").items_out()) << row.rank;
  }
  if (ranks::count() > 1) {
    EXPECT_EQ(now.stage("pass").ranks().size(), now.ranks().size() - 1);
    EXPECT_THAT(now.to_string(), HasSubstr("age"));
    EXPECT_GT(nlohmann::json::parse(now.to_json()).at("ranks").back().at("age_ns"), 0);
    EXPECT_EQ(now.channels().size(), 2U);
  }
  e.stop();
  const auto end = e.wait();
  EXPECT_EQ(end.stage("pass").items_in(), end.stage("read").items_out());
  EXPECT_GE(end.stage("pass").items_in(), now.stage("pass").items_in());
  EXPECT_EQ(end.workers(), now.workers());
  for (const auto& row : end.ranks()) EXPECT_EQ(row.age, 0ns) << row.rank;
  if (ranks::count() == 1) {
    EXPECT_EQ(end.stage("pass").divided_by(), tw::observe::division::replica);
    return;
  }
  for (const auto& r : {now, end}) {
    const auto& pass = r.stage("pass");
    const bool several = pass.ranks().size() > 1;
    ASSERT_EQ(pass.divided_by(), several ? tw::observe::division::rank : tw::observe::division::none);
    EXPECT_EQ(pass.shares().size(), several ? pass.ranks().size() : 0);
    EXPECT_EQ(r.stage("write").divided_by(), tw::observe::division::none) << "one rank executes it";
  }
  std::uint64_t items = 0;
  for (const auto& one : end.stage("pass").shares()) {
    items += one.items;
    EXPECT_GT(one.number, 0) << "rank 0 executes the others";
  }
  EXPECT_EQ(items, end.stage("pass").shares().empty() ? 0 : end.stage("pass").items_in());
}

// One that is stopped holds up nothing but its own row.
TEST(Figures, OfARankThatIsStoppedAge) {
  if (ranks::count() == 1) GTEST_SKIP() << "there is no other rank";
  std::vector<pid_t> pids(static_cast<std::size_t>(ranks::count()));
  const auto mine = getpid();
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, pids.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  auto e = tw::launch(endless(200us), ranks::away({"pass"}, {.patience = 5min}));
  if (!ranks::root()) {
    e.wait();
    return;
  }
  const auto last = pids.size() - 1;
  const auto row_of_last = [&] {
    const auto rows = e.stats().ranks();
    return rows.size() > last ? rows[last] : tw::rank_report{};
  };
  EXPECT_TRUE(eventually([&] { return row_of_last().messages > 0; })) << e.stats();
  kill(pids[last], SIGSTOP);
  EXPECT_TRUE(eventually([&] { return row_of_last().age > 500ms; })) << e.stats();
  kill(pids[last], SIGCONT);
  const auto messages = row_of_last().messages;
  EXPECT_TRUE(eventually([&] { return row_of_last().messages > messages; })) << e.stats();
  e.stop();
  const auto end = e.wait();
  EXPECT_EQ(end.stage("write").items_in(), end.stage("read").items_out());
}

TEST(Figures, OfAllRanksAreInTheSamples) {
  const auto path =
      (std::filesystem::temp_directory_path() / ("figures-" + std::to_string(getpid()))).string();
  auto e = tw::launch(endless(), ranks::away({"pass"}), {.monitor = path, .every = 20ms});
  if (!ranks::root()) {
    e.wait();
    return;
  }
  std::uint64_t passed = 0;
  EXPECT_TRUE(eventually([&] {
    std::string line;
    for (std::ifstream samples(path); std::getline(samples, line);) {
      if (samples.eof() || !nlohmann::json::accept(line)) break;
      passed = nlohmann::json::parse(line).at("stages").at(1).at("items_in");
    }
    return passed > 0;
  }));
  e.stop();
  EXPECT_GE(e.wait().stage("pass").items_in(), passed);
  std::filesystem::remove(path);
}

// --- differences ---

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> all;
  for (const char c : text) all.push_back(static_cast<std::byte>(c));
  return all;
}

TEST(Differences, AreAppliedToWhatWasBefore) {
  std::mt19937 random(7);
  std::vector<std::byte> now, there;
  for (int i = 0; i < 2'000; ++i) {
    const auto before = now;
    if (random() % 8 == 0) now.resize(random() % 2'000);
    for (auto n = random() % 20; n > 0 && !now.empty(); --n)
      now[random() % now.size()] = static_cast<std::byte>(random());
    const auto change = distributed::difference(before, now);
    distributed::apply(change, there);
    ASSERT_EQ(there, now);
  }
}

TEST(Differences, AreSmallWhereLittleChanges) {
  std::vector<std::uint64_t> before(500, 123'456'789), now = before;
  for (const std::size_t i : {3U, 4U, 77U, 400U}) now[i] += 200;
  const auto told = distributed::difference(std::as_bytes(std::span(before)), std::as_bytes(std::span(now)));
  EXPECT_LE(told.size(), 2U + 4U * 5U);
  EXPECT_EQ(distributed::difference(std::as_bytes(std::span(now)), std::as_bytes(std::span(now))).size(), 2U);
}

TEST(Differences, WhatIsNoneIsRefused) {
  auto there = bytes_of("seven..");
  const auto refused = [&](std::initializer_list<unsigned> change) {
    std::vector<std::byte> bytes;
    for (const auto b : change) bytes.push_back(static_cast<std::byte>(b));
    auto copy = there;
    EXPECT_THROW(distributed::apply(bytes, copy), tw::codec_error);
  };
  refused({});
  refused({128});                                // a number that does not end
  refused({255, 255, 255, 255, 127});            // far too long
  refused({7, 8, 0});                            // behind the end
  refused({7, 5, 3, 'a', 'b', 'c'});             // beyond it
  refused({7, 1, 3, 'a', 'b'});                  // bytes that have not come
  refused({7, 1});                               // no second number
  refused({7, 255, 255, 255, 255, 15, 1, 'a'});  // far behind it
}

}  // namespace
