// Lines whose stages are on several ranks: the same items in the same order as with one.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "mpi/ranks.hpp"
#include "mpi/same.hpp"

namespace tw = thalweg;
using ranks::expect_same;

namespace {

constexpr long many = 10'000;

std::vector<tw::mpi> policies() {
  return {ranks::policy({.local = tw::sequential{}}), ranks::policy({.local = tw::pool{.workers = 2}}),
          ranks::policy({.local = tw::threads{}}), ranks::policy({.credits = 1, .batch_bytes = 1024})};
}

TEST(Line, AFarm) {
  for (const auto& how : policies()) {
    expect_same(
        [](std::vector<long>& seen) {
          return tw::source(std::views::iota(0L, many)) | tw::farm([](const long& x) { return 3 * x + 1; }) |
                 tw::sink(seen);
        },
        how);
  }
}

// The thread that deals out the items is the only one of its rank: what it would have to do itself is always
// there to be done, and the others must not get nothing because of that.
TEST(Line, AFarmThatIsAlsoOnTheRankOfTheSource) {
  std::vector<int> all(static_cast<std::size_t>(ranks::count()));
  std::iota(all.begin(), all.end(), 0);
  constexpr std::size_t items = 400;
  std::vector<std::size_t> done_by(all.size());
  tw::run(tw::source(std::views::iota(0, static_cast<int>(items))) |
              tw::farm(
                  [](int) {
                    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(500);
                    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
                    return ranks::policy().rank();
                  },
                  {.name = "work"}) |
              tw::sink([&](int rank) { ++done_by[static_cast<std::size_t>(rank)]; }),
          ranks::policy({.local = tw::pool{.workers = 1}, .place = {{"work", all}}}));
  if (!ranks::root()) return;
  for (const auto n : done_by) EXPECT_GT(n, items / all.size() / 8) << testing::PrintToString(done_by);
}

TEST(Line, FarmsThatFollowEachOther) {
  for (const auto& how : policies()) {
    expect_same(
        [](std::vector<long>& seen) {
          return tw::source(std::views::iota(0L, many)) |
                 tw::farm(tw::flat_map([](const long& x, tw::emitter<long>& out) {
                            for (long i = 0; i < x % 4; ++i) out(x + i);
                          }),
                          {.replicas = 3}) |
                 tw::farm(tw::filter([](const long& x) { return x % 3 != 0; }), {.replicas = 5}) |
                 tw::farm([](const long& x) { return x * x; }) | tw::sink(seen);
        },
        how);
  }
}

TEST(Line, SerialStagesBetweenFarms) {
  for (const auto& how : policies()) {
    expect_same(
        [](std::vector<long>& seen) {
          return tw::source(std::views::iota(0L, many)) | tw::farm([](const long& x) { return x + 1; }) |
                 tw::map([sum = 0L](long x) mutable { return sum += x; }) |
                 tw::farm(tw::filter([](const long& x) { return x % 2 == 0; })) |
                 tw::map([n = 0L](long x) mutable { return x + n++; }) | tw::sink(seen);
        },
        how);
  }
}

TEST(Line, WhereNothingComesOutOfMostRuns) {
  expect_same(
      [](std::vector<long>& seen) {
        return tw::source(std::views::iota(0L, many)) |
               tw::farm(tw::filter([](const long& x) { return x % 7'000 == 6'999; })) |
               tw::farm([](const long& x) { return -x; }) | tw::sink(seen);
      },
      ranks::policy());
}

TEST(Line, AnEmptyStream) {
  expect_same(
      [](std::vector<long>& seen) {
        return tw::source(std::vector<long>{}) | tw::farm([](const long& x) { return x; }) | tw::sink(seen);
      },
      ranks::policy());
}

TEST(Line, WithoutOrder) {
  std::vector<long> seen;
  const auto r = tw::run(tw::source(std::views::iota(0L, many)) |
                             tw::farm([](const long& x) { return x; }, {.unordered = true}) |
                             tw::farm([](const long& x) { return x; }) | tw::sink(seen),
                         ranks::policy());
  if (!r.is_root()) return;
  std::sort(seen.begin(), seen.end());
  std::vector<long> all;
  for (const long x : std::views::iota(0L, many)) all.push_back(x);
  EXPECT_EQ(seen, all);
}

TEST(Line, StagesWithPlaces) {
  const int last = ranks::count() - 1;
  const auto job_of = [](std::vector<long>& seen) {
    return tw::source(std::views::iota(0L, many), {.name = "read"}) |
           tw::map([](long x) { return x + 1; }, {.name = "add"}) |
           tw::farm([](const long& x) { return 2 * x; }, {.name = "double"}) |
           tw::map([](long x) { return x - 1; }, {.name = "subtract"}) | tw::sink(seen, {.name = "write"});
  };
  expect_same(job_of, ranks::policy({.place = {{"add", {last}}, {"subtract", {last / 2}}}}));
  expect_same(job_of, ranks::policy({.place = {{"read", {last}}, {"double", {0, last, last}}}}));
  expect_same(job_of, ranks::policy({.grouping = 1}));
  expect_same(job_of, ranks::policy({.grouping = 2}));
}

// A sink may be elsewhere, too: then the results are there.
TEST(Line, ASinkElsewhere) {
  const int last = ranks::count() - 1;
  std::vector<long> seen;
  tw::run(tw::source(std::views::iota(0L, many)) | tw::farm([](const long& x) { return -x; }) |
              tw::sink(seen, {.name = "write"}),
          ranks::policy({.place = {{"write", {last}}}}));
  EXPECT_EQ(seen.size(), ranks::policy().rank() == last ? std::size_t{many} : 0U);
}

using anything = std::variant<int, std::string, std::vector<double>>;
using item = std::tuple<std::map<std::string, std::unique_ptr<std::vector<int>>>, std::optional<anything>,
                        std::array<std::string, 2>, std::vector<char>, std::vector<bool>>;

item make(int i) {
  item x;
  auto& [parts, any, names, bytes, bits] = x;
  for (int k = 0; k < i % 4; ++k)
    parts[std::to_string(k)] = std::make_unique<std::vector<int>>(static_cast<std::size_t>(i * 50), i);
  if (i % 3 == 1) any = std::vector<double>(static_cast<std::size_t>(i), 0.5);
  if (i % 3 == 2) any = std::string(static_cast<std::size_t>(i) * 100, 'a');
  names = {std::to_string(i), "name"};
  bytes.assign(static_cast<std::size_t>(i) * 1'000, static_cast<char>(i));
  bits.assign(static_cast<std::size_t>(i), i % 2 == 0);
  return x;
}

bool is(const item& x, int i) {
  const auto& [parts, any, names, bytes, bits] = x;
  const auto wanted = make(i);
  const auto& [parts_, any_, names_, bytes_, bits_] = wanted;
  return any == any_ && names == names_ && bytes == bytes_ && bits == bits_ &&
         std::equal(
             parts.begin(), parts.end(), parts_.begin(), parts_.end(),
             [](const auto& a, const auto& b) { return a.first == b.first && *a.second == *b.second; });
}

// Small parts travel in one message, large ones each in their own.
TEST(Line, ItemsOfAllKinds) {
  int next = 0;
  bool all = true;
  tw::run(tw::source([n = 0]() mutable -> std::optional<item> {
            if (n == 120) return std::nullopt;
            return make(n++);
          }) | tw::farm([](item x) { return x; }) |
              tw::sink([&](const item& x) { all = all && is(x, next++); }),
          ranks::policy());
  if (!ranks::root()) return;
  EXPECT_EQ(next, 120);
  EXPECT_TRUE(all);
}

TEST(Line, TheReportCountsWhatAllRanksHaveDone) {
  const auto r =
      tw::run(tw::source(std::views::iota(0L, many)) |
                  tw::farm([](const long& x) { return x; }, {.name = "pass"}) | tw::sink([](long) {}),
              ranks::policy());
  if (!r.is_root()) return;
  EXPECT_EQ(r.stage("pass").items_in(), static_cast<std::uint64_t>(many));
  EXPECT_EQ(r.stage("pass").items_out(), static_cast<std::uint64_t>(many));
  EXPECT_EQ(r.policy(), "mpi:" + std::to_string(ranks::count()));
}

TEST(Line, ManyRunsFollowEachOther) {
  for (int i = 0; i < 20; ++i) {
    long sum = 0;
    tw::run(tw::source(std::views::iota(0L, 100L)) | tw::farm([](const long& x) { return x; }) |
                tw::sink([&](long x) { sum += x; }),
            ranks::policy());
    EXPECT_EQ(sum, ranks::root() ? 4'950 : 0);
  }
}

}  // namespace
