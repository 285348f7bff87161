// What has to reach every rank, however many there are: the end, stop, cancel, an error, other numbers of
// replicas. ctest runs these with more ranks than the others.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/ranks.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

struct done_by {
  long number = 0;
  int rank = 0;
};

auto endless() {
  return tw::source([n = 0L]() mutable -> std::optional<long> { return n++; }, {.name = "count"});
}

// The work of a moment, so that the stream is short when all have had their part of it.
auto pass(int replicas = tw::automatic) {
  return tw::farm(
      [](long x) {
        std::this_thread::sleep_for(200us);
        return done_by{x, ranks::policy().rank()};
      },
      {.replicas = replicas, .name = "pass"});
}

auto into(std::vector<done_by>& seen) {
  return tw::sink([&seen](done_by d) { seen.push_back(d); }, {.name = "write"});
}

// From the first item on, without a gap.
bool in_order(const std::vector<done_by>& seen) {
  long next = 0;
  return std::all_of(seen.begin(), seen.end(), [&](const auto& d) { return d.number == next++; });
}

int last() {
  return ranks::count() - 1;
}

// A rank that tells all others something tells a few of them, who tell the rest. Besides, each has told the
// sink of its end, and the next rank six times in three seconds that it is there.
void expect_few_messages(const tw::report& r, int rank, int times) {
  if (ranks::count() < 16) return;  // few ranks are below it in any case
  int below = 0;
  for (int n = 1; n < ranks::count(); n *= 2) ++below;
  const auto alive = static_cast<std::uint64_t>(r.elapsed() / 400ms + 10);
  const auto most = static_cast<std::uint64_t>(times * below) + 1 + alive;
  EXPECT_LE(r.ranks()[static_cast<std::size_t>(rank)].others, most)
      << "rank " << rank << " of " << ranks::count() << " in " << r.elapsed() / 1ms << " ms";
}

TEST(Many, TheEndComesToAll) {
  const long n = 50L * ranks::count();
  std::vector<done_by> seen;
  const auto r = tw::run(tw::source(std::views::iota(0L, n)) | pass() | into(seen), ranks::away({"pass"}));
  EXPECT_EQ(r.is_root(), ranks::root());
  if (!ranks::root()) return;
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(n));
  EXPECT_TRUE(in_order(seen));
  if (ranks::count() == 1) return;
  EXPECT_EQ(r.stage("pass").ranks().size(), static_cast<std::size_t>(last()));
  expect_few_messages(r, last(), 0);
}

TEST(Many, StopByTheLast) {
  std::atomic<long> read{0};
  std::vector<done_by> seen;
  auto e = tw::launch(tw::source([&]() -> std::optional<long> { return read++; }) | pass() | into(seen),
                      ranks::policy());
  if (ranks::policy().rank() == last()) {
    std::this_thread::sleep_for(20ms);
    e.stop();
  }
  const auto r = e.wait();
  if (!ranks::root()) return;
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(read.load()));
  EXPECT_TRUE(in_order(seen));
  if (ranks::count() > 1) expect_few_messages(r, last(), 1);
}

// Without it a rank that only works would wait for more: the source has no end.
TEST(Many, CancelByOneInTheMiddle) {
  std::vector<done_by> seen;
  auto e = tw::launch(endless() | pass() | into(seen), ranks::policy());
  const int who = ranks::count() / 2;
  if (ranks::policy().rank() == who) {
    std::this_thread::sleep_for(20ms);
    e.cancel();
  }
  tw::report r;
  EXPECT_NO_THROW(r = e.wait());
  if (!ranks::root()) return;
  EXPECT_TRUE(in_order(seen));
  if (ranks::count() > 1) expect_few_messages(r, who, 1);
}

TEST(Many, AnErrorComesOutOfAll) {
  const long bad = 20L * ranks::count();
  std::vector<long> seen;
  try {
    tw::run(endless() |
                tw::farm(
                    [bad](long x) {
                      if (x == bad) throw std::domain_error("too many");
                      return x;
                    },
                    {.name = "pass"}) |
                tw::sink(seen),
            ranks::policy());
    ADD_FAILURE() << "it has not thrown";
  } catch (const tw::stage_error& e) {
    EXPECT_EQ(e.stage(), "pass");
    EXPECT_THAT(e.what(), HasSubstr("too many"));
    EXPECT_GE(e.rank(), 0);
    EXPECT_LE(e.rank(), last());
  }
  EXPECT_LE(seen.size(), static_cast<std::size_t>(bad));
  for (std::size_t k = 0; k < seen.size(); ++k) ASSERT_EQ(seen[k], static_cast<long>(k));
}

// A farm that begins with one replica gets one on every other rank, and loses them again.
TEST(Many, ReplicasOnAllAndOnOneAgain) {
  const auto others = static_cast<std::size_t>(std::max(1, last()));
  std::vector<done_by> seen;
  std::mutex lock;
  auto e = tw::launch(endless() | pass(1) | tw::sink([&](done_by d) {
                        const std::lock_guard hold(lock);
                        seen.push_back(d);
                      }),
                      ranks::policy());
  // Those who have done the last n items.
  const auto workers = [&](std::size_t n) {
    const std::lock_guard hold(lock);
    std::set<int> all;
    if (seen.size() < n) return all.size();
    std::for_each(seen.end() - static_cast<std::ptrdiff_t>(n), seen.end(),
                  [&](const auto& d) { all.insert(d.rank); });
    return all.size();
  };
  const auto becomes = [&](std::size_t n) {
    for (const auto until = std::chrono::steady_clock::now() + 20s; workers(500) != n;) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(1ms);
    }
    return true;
  };
  if (ranks::root()) {
    EXPECT_TRUE(becomes(1));
    e.set_replicas("pass", static_cast<int>(others));
    EXPECT_TRUE(becomes(others)) << workers(500) << " ranks work, not " << others;
    e.set_replicas("pass", 1);
    EXPECT_TRUE(becomes(1)) << workers(500) << " ranks work, not one";
    e.stop();
  }
  const auto r = e.wait();
  if (!ranks::root()) return;
  EXPECT_TRUE(in_order(seen));
  EXPECT_EQ(r.stage("pass").replicas(), 1);
  // Of the three messages to all one is the end of the source.
  if (ranks::count() > 2) {
    EXPECT_EQ(r.resizes().size(), 2U);
  }
}

}  // namespace
