// Stages that choose their inputs on several ranks: where all would wait for each other for ever, a full edge
// in front of such a stage grows.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "mpi/in_turn.hpp"
#include "mpi/ranks.hpp"
#include "support/failure.hpp"
#include "support/watchdog.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

constexpr long many = 1'000;
// What lies between two stages then is far less than that, also in runs under way between ranks.
const tw::connect_options narrow{.capacity = 16};

struct by_size : tw::stage {
  tw::in<long> a{this, "a"}, b{this, "b"};
  tw::out<long> out{this, "out"};
  void on_run() override {
    while (a.ready() && b.ready() && !(a.ended() && b.ended())) {
      const bool first = b.ended() || (!a.ended() && a.front() <= b.front());
      out.send(first ? a.take() : b.take());
    }
  }
};

int rank_of(int n) {
  return n % ranks::count();
}

std::vector<tw::mpi_options> ways() {
  std::vector<tw::mpi_options> all;
  for (const auto comm : {tw::mpi_comm(tw::automatic), tw::two_sided}) {
    all.push_back({.local = tw::sequential{}, .comm = comm});
    all.push_back({.local = tw::pool{.workers = 2}, .comm = comm});
    all.push_back({.local = tw::threads{}, .credits = 1, .comm = comm});
  }
  all.push_back({.local = tw::pool{.workers = 1}, .comm = tw::one_sided, .share_memory = false});
  return all;
}

auto limit(const char* what) {
  return watchdog::watch(110s, [what] { return std::string(what); });
}

std::vector<long> first_then_second() {
  std::vector<long> wanted;
  for (long x = 0; x < many; ++x) wanted.push_back(x);
  for (long x = 0; x < many; ++x) wanted.push_back(-x);
  return wanted;
}

TEST(Deadlock, ADiamondWhoseMergeReadsOneInputUntilItsEnd) {
  tw::let_travel<long>();
  const auto limited = limit("a diamond");
  for (const int merge : {0, ranks::count() - 1}) {
    for (auto how : ways()) {
      std::vector<long> seen;
      tw::graph g;
      auto& f = g.add<both_ways>();
      auto& m = g.add<one_after_the_other<long>>();
      g.configure(f, {.name = "fork"});
      g.configure(m, {.name = "merge"});
      auto a = g.add(tw::map([](long x) { return x; }, {.name = "a"}));
      auto b = g.add(tw::map([](long x) { return x; }, {.name = "b"}));
      g.connect(g.add(tw::source(std::views::iota(0L, many))).out, f.in, narrow);
      g.connect(f.a, a.in, narrow);
      g.connect(f.b, b.in, narrow);
      g.connect(a.out, m.first, narrow);
      g.connect(b.out, m.second, narrow);
      g.connect(m.out, g.add(tw::sink(seen)).in);
      how.place = {{"a", {rank_of(1)}}, {"b", {rank_of(2)}}, {"merge", {merge}}};
      tw::run(g, ranks::policy(how));
      if (!ranks::root()) continue;
      EXPECT_EQ(seen, first_then_second());
    }
  }
}

// What is on its way then has to find room, too.
TEST(Deadlock, AStreamThatIsPausedAndThenStopped) {
  tw::let_travel<long>();
  const auto limited = limit("a diamond, paused and stopped");
  for (auto how : ways()) {
    std::vector<long> seen;
    tw::graph g;
    auto& f = g.add<both_ways>();
    auto& m = g.add<one_after_the_other<long>>();
    auto a = g.add(tw::map([](long x) { return x; }, {.name = "a"}));
    auto b = g.add(tw::map([](long x) { return x; }, {.name = "b"}));
    g.connect(g.add(tw::source(std::views::iota(0L))).out, f.in, narrow);
    g.connect(f.a, a.in, narrow);
    g.connect(f.b, b.in, narrow);
    g.connect(a.out, m.first, narrow);
    g.connect(b.out, m.second, narrow);
    g.connect(m.out, g.add(tw::sink(seen)).in);
    how.place = {{"a", {rank_of(1)}}, {"b", {rank_of(2)}}};
    auto e = tw::launch(g, ranks::policy(how));
    if (ranks::root()) {
      std::this_thread::sleep_for(20ms);
      e.pause();
      e.stop();
    }
    e.wait();
    if (!ranks::root()) continue;
    ASSERT_EQ(seen.size() % 2, 0U);
    const auto n = static_cast<long>(seen.size() / 2);
    for (long i = 0; i < n; ++i) {
      ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
      ASSERT_EQ(seen[static_cast<std::size_t>(n + i)], -i);
    }
  }
}

// With one thread for both sources one of them is in the middle of its only call, and the merge waits for the
// other.
TEST(Deadlock, SourcesThatShareAThread) {
  tw::let_travel<long>();
  const auto limited = limit("two sources");
  for (auto how : ways()) {
    std::vector<long> seen;
    const auto all = [](long sign) {
      return tw::source<long>([sign](tw::emitter<long>& out) {
        for (long x = 0; x < many; ++x) out(sign * x);
      });
    };
    tw::graph g;
    auto& m = g.add<one_after_the_other<long>>();
    g.configure(m, {.name = "merge"});
    g.connect(g.add(all(-1)).out, m.second, narrow);
    g.connect(g.add(all(1)).out, m.first, narrow);
    g.connect(m.out, g.add(tw::sink(seen)).in);
    how.place = {{"merge", {rank_of(1)}}};
    tw::run(g, ranks::policy(how));
    if (!ranks::root()) continue;
    EXPECT_EQ(seen, first_then_second());
  }
}

TEST(Deadlock, AFarmInFrontOfTheInputThatIsNotRead) {
  tw::let_travel<long>();
  const auto limited = limit("a farm");
  for (auto how : ways()) {
    std::vector<long> seen;
    tw::graph g;
    auto& f = g.add<both_ways>();
    auto& m = g.add<one_after_the_other<long>>();
    g.configure(m, {.name = "merge"});
    auto b = g.add(tw::farm([](const long& x) { return x; }, {.replicas = 3}));
    g.connect(g.add(tw::source(std::views::iota(0L, many))).out, f.in, narrow);
    g.connect(f.a, m.first, narrow);
    g.connect(f.b, b.in, narrow);
    g.connect(b.out, m.second, narrow);
    g.connect(m.out, g.add(tw::sink(seen)).in);
    how.place = {{"merge", {rank_of(2)}}};
    tw::run(g, ranks::policy(how));
    if (!ranks::root()) continue;
    EXPECT_EQ(seen, first_then_second());
  }
}

// Nothing grows where nothing has to, and nothing is said about it: the merge waits for a slow input while
// the other one is full.
TEST(Deadlock, WhileTheStreamMovesNothingIsAskedAndNothingGrows) {
  if (ranks::count() < 2) GTEST_SKIP() << "needs two ranks";
  tw::let_travel<long>();
  const auto limited = limit("a slow input");
  constexpr long slow_ones = 60, fast_ones = 100 * slow_ones;
  std::atomic<long> given{0}, taken{0}, most{0};
  tw::graph g;
  auto& m = g.add<by_size>();
  g.configure(m, {.name = "merge"});
  auto fast = g.add(tw::source(
      [&, n = 0L]() mutable -> std::optional<long> {
        if (n == fast_ones) return std::nullopt;
        most = std::max(most.load(), ++given - taken.load());
        return n++;
      },
      {.name = "fast"}));
  // Each of these has a hundred others before it.
  auto slow = g.add(tw::source(
      [n = 0L]() mutable -> std::optional<long> {
        if (n == slow_ones) return std::nullopt;
        std::this_thread::sleep_for(10ms);
        return 100 * n++;
      },
      {.name = "slow"}));
  g.connect(fast.out, m.a, narrow);
  g.connect(slow.out, m.b, narrow);
  long sum = 0;
  g.connect(m.out, g.add(tw::sink([&](long x) {
                      sum += x;
                      ++taken;
                    })).in);
  const auto r = tw::run(
      g, ranks::policy({.local = tw::pool{.workers = 2}, .place = {{"slow", {rank_of(1)}}, {"merge", {0}}}}));
  if (!ranks::root()) return;
  EXPECT_EQ(sum, fast_ones * (fast_ones - 1) / 2 + 100 * slow_ones * (slow_ones - 1) / 2);
  EXPECT_LT(most.load(), 500);
  std::uint64_t others = 0;
  for (const auto& one : r.ranks()) others += one.others;
  EXPECT_LT(others, 40U * r.ranks().size());
}

/// Wants one of each input; but what it sends is all that could come back.
struct pairs : tw::stage {
  tw::in<long> fresh{this, "fresh"}, back{this, "back"};
  tw::out<long> again{this, "again"};
  void on_run() override {
    while (fresh.available() && back.available()) {
      (void)back.take();
      again.send(fresh.take());
    }
  }
};

// Nothing can help: the run ends with an error on all ranks.
TEST(Deadlock, OfALoopThatWaitsForItselfIsAnError) {
  tw::let_travel<long>();
  const auto limited = limit("a loop that waits for itself");
  for (auto how : ways()) {
    tw::graph g;
    auto& s = g.add<pairs>();
    g.configure(s, {.name = "pairs"});
    g.connect(g.add(tw::source(std::vector{1L, 2L})).out, s.fresh);
    g.connect(s.again, s.back);
    how.place = {{"pairs", {rank_of(1)}}};
    const auto found = failure_of([&] { tw::run(g, ranks::policy(how)); });
    EXPECT_EQ(found.stage, "pairs");
    EXPECT_NE(found.what.find("nothing can move any more"), std::string::npos) << found.what;
  }
}

}  // namespace
