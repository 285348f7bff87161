#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/stages.hpp"
#include "support/eventually.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using namespace graphs;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

class Shapes : public under_every_policy {};
FOR_EVERY_POLICY(Shapes);

std::vector<int> numbers(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST_P(Shapes, ASplitterGivesEachBranchItsItemsInOrder) {
  std::vector<int> even;
  std::vector<int> odd;
  tw::graph g;
  auto& s = g.add<splitter>();
  g.connect(g.add(tw::source(std::views::iota(0, 10'000))).out, s.numbers);
  g.connect(s.even, g.add(tw::sink(even)).in);
  g.connect(s.odd, g.add(tw::sink(odd)).in);
  tw::run(g, policy());
  ASSERT_EQ(even.size(), 5'000U);
  ASSERT_EQ(odd.size(), 5'000U);
  for (int i = 0; i < 5'000; ++i) {
    ASSERT_EQ(even[static_cast<std::size_t>(i)], 2 * i);
    ASSERT_EQ(odd[static_cast<std::size_t>(i)], 2 * i + 1);
  }
}

TEST_P(Shapes, ADiamondComesTogetherAgain) {
  std::vector<int> seen;
  tw::graph g;
  auto& s = g.add<splitter>();
  auto& add = g.add<adder>();
  g.connect(g.add(tw::source(std::views::iota(0, 10'000))).out, s.numbers);
  auto tens = g.add(tw::farm([](int x) { return 10 * x; }, {.replicas = 3}));
  g.connect(s.even, tens.in);
  g.connect(tens.out, add.a);
  g.connect(s.odd, add.b);
  g.connect(add.sum, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  ASSERT_EQ(seen.size(), 5'000U);
  for (int i = 0; i < 5'000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], 10 * (2 * i) + 2 * i + 1);
}

TEST_P(Shapes, AStageThatChoosesMergesSortedInputs) {
  std::mt19937 random(3);
  for (int round = 0; round < 10; ++round) {
    std::vector<int> a(random() % 3'000);
    std::vector<int> b(random() % 3'000);
    for (auto& x : a) x = static_cast<int>(random() % 1'000);
    for (auto& x : b) x = static_cast<int>(random() % 1'000);
    std::ranges::sort(a);
    std::ranges::sort(b);
    std::vector<int> expected;
    std::ranges::merge(a, b, std::back_inserter(expected));
    std::vector<int> seen;
    tw::graph g;
    auto& m = g.add<sorter>();
    g.connect(g.add(tw::source(a)).out, m.a, {.capacity = static_cast<std::int64_t>(1 + random() % 20)});
    g.connect(g.add(tw::source(b)).out, m.b);
    g.connect(m.out, g.add(tw::sink(seen)).in);
    tw::run(g, policy());
    ASSERT_EQ(seen, expected);
  }
}

TEST_P(Shapes, SeveralSourcesAndSinksThatHaveNothingToDoWithEachOther) {
  std::vector<int> a;
  std::vector<int> b;
  tw::graph g;
  g.connect(g.add(tw::source(numbers(100))).out, g.add(tw::sink(a)).in);
  auto& c = g.add<counter>(50);
  auto& k = g.add<collector>();
  g.connect(c.out, k.in);
  g.connect(g.add(tw::source(std::vector<int>{})).out, g.add(tw::sink(b)).in);
  const auto r = tw::run(g, policy());
  EXPECT_EQ(a, numbers(100));
  EXPECT_EQ(k.seen, numbers(50));
  EXPECT_THAT(b, IsEmpty());
  EXPECT_EQ(r.items(), 150U);
}

TEST_P(Shapes, AWholeLineIsAGraph) {
  std::vector<int> seen;
  tw::graph g;
  g.add(tw::source(numbers(100)) | tw::map([](int x) { return x + 1; }) | tw::sink(seen));
  tw::run(g, policy());
  EXPECT_EQ(seen.size(), 100U);
}

TEST_P(Shapes, LinesThatAreJoinedEndToEndAreALine) {
  std::vector<int> seen;
  tw::graph g;
  auto source = g.add(tw::source(numbers(1'000)));
  auto half = g.add(tw::filter([](int x) { return x % 2 == 0; }));
  auto work = g.add(tw::farm([](int x) { return x / 2; }, {.replicas = 2}));
  g.connect(source.out, half.in);
  g.connect(half.out, work.in);
  g.connect(work.out, g.add(tw::sink(seen)).in);
  tw::run(g, policy());
  EXPECT_EQ(seen, numbers(500));
}

TEST_P(Shapes, WhatAnOptionalOutputSendsToNobodyIsDiscardedAndCounted) {
  struct with_rest : tw::stage {
    tw::in<int> in{this, "in"};
    tw::out<int> out{this, "out"};
    tw::out<int> rest{this, "rest", tw::optional_port};
    void on_item(tw::in<int>&, int x) { (x < 10 ? out : rest).send(x); }
  };
  std::vector<int> seen;
  tw::graph g;
  auto& s = g.add<with_rest>();
  g.connect(g.add(tw::source(numbers(100))).out, s.in);
  g.connect(s.out, g.add(tw::sink(seen)).in);
  const auto r = tw::run(g, policy());
  EXPECT_EQ(seen, numbers(10));
  EXPECT_EQ(r.dropped(), 90U);
  std::vector<int> rest;
  g.connect(s.rest, g.add(tw::sink(rest)).in);
  EXPECT_EQ(tw::run(g, policy()).dropped(), 0U);
  EXPECT_EQ(rest.size(), 90U);
}

TEST_P(Shapes, PortsCarryAnyItemsThatCanBeMoved) {
  struct pairing : tw::stage {
    tw::in<std::unique_ptr<int>> in{this, "in"};
    tw::in<std::string> names{this, "names"};
    tw::out<std::pair<std::string, std::unique_ptr<int>>> out{this, "out"};
    void on_run() override {
      while (in.available() && names.available()) {
        auto name = names.take();
        out.send({std::move(name), in.take()});
      }
      if (in.ended() || names.ended()) end();
    }
  };
  std::vector<std::string> seen;
  tw::graph g;
  auto& p = g.add<pairing>();
  g.connect(g.add(tw::source(numbers(1'000)) | tw::map([](int x) { return std::make_unique<int>(x); })).out,
            p.in);
  g.connect(g.add(tw::source(numbers(1'000)) |
                  tw::map([](int x) { return std::string(40, 'a') + std::to_string(x); }))
                .out,
            p.names);
  g.connect(p.out, g.add(tw::sink([&](const std::pair<std::string, std::unique_ptr<int>>& x) {
                      if (x.first == std::string(40, 'a') + std::to_string(*x.second))
                        seen.push_back(x.first);
                    })).in);
  tw::run(g, policy());
  EXPECT_EQ(seen.size(), 1'000U);
}

// --- pipes ---

TEST_P(Shapes, NothingIsLostWhereTheSenderWaits) {
  std::vector<int> seen;
  tw::graph g;
  auto& s = g.add<counter>(5'000);
  g.connect(s.out, g.add(tw::sink(seen)).in, {.capacity = 1});
  EXPECT_EQ(tw::run(g, policy()).dropped(), 0U);
  EXPECT_EQ(seen, numbers(5'000));
}

TEST_P(Shapes, WhatIsDroppedIsCountedAndTheRestIsInOrder) {
  for (const auto how : {tw::drop_new, tw::drop_old}) {
    std::vector<int> seen;
    tw::graph g;
    auto& s = g.add<counter>(20'000);
    g.connect(s.out, g.add(tw::sink([&](int x) {
                        seen.push_back(x);
                        if (seen.size() % 1'000 == 0) std::this_thread::sleep_for(1ms);
                      })).in,
              {.capacity = 8, .when_full = how});
    const auto r = tw::run(g, policy());
    EXPECT_EQ(seen.size() + r.dropped(), 20'000U);
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    ASSERT_FALSE(seen.empty());
    if (how == tw::drop_old) {
      EXPECT_EQ(seen.back(), 19'999) << "what came last is never the oldest";
    } else {
      EXPECT_EQ(seen.front(), 0);
    }
  }
}

// A stage that does not read its second input before the first has ended: meanwhile that one is filled.
struct second_last : tw::stage {
  tw::in<int> first{this, "first"}, second{this, "second"};
  tw::out<int> out{this, "out"};
  void on_run() override {
    while (first.available()) first.take();
    if (!first.ended()) return;
    while (second.available()) out.send(second.take());
  }
};

// Sends everything to one output, and then a single item to the other.
struct in_front : tw::stage {
  tw::out<int> first{this, "first"}, second{this, "second"};
  int n = 0;
  void on_start() override { n = 0; }
  void on_run() override {
    if (n < 100) {
      second.send(n++);
    } else {
      first.send(n);
      end();
    }
  }
};

TEST_P(Shapes, DropsAreExactWhereNobodyReads) {
  for (const auto how : {tw::drop_new, tw::drop_old}) {
    std::vector<int> seen;
    tw::graph g;
    auto& a = g.add<in_front>();
    auto& b = g.add<second_last>();
    g.connect(a.first, b.first);
    g.connect(a.second, b.second, {.capacity = 10, .when_full = how});
    g.connect(b.out, g.add(tw::sink(seen)).in);
    const auto r = tw::run(g, policy());
    EXPECT_EQ(seen.size() + r.dropped(), 100U);
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    // What the stage has been offered before it asked does not wait in the pipe any more.
    EXPECT_GE(seen.size(), 10U);
    if (how == tw::drop_new) {
      EXPECT_EQ(seen.front(), 0);
    } else {
      EXPECT_EQ(seen.back(), 99);
      auto tail = numbers(100);
      EXPECT_TRUE(std::equal(tail.end() - 10, tail.end(), seen.end() - 10));
    }
  }
}

struct last_in_first_out : tw::own_pipe<int> {
  std::mutex m;
  std::deque<int> items;
  std::size_t room;
  std::atomic<int>& pushed;
  last_in_first_out(std::size_t r, std::atomic<int>& p) : room(r), pushed(p) {}
  bool try_push(int& x) override {
    const std::lock_guard hold(m);
    if (items.size() == room) return false;
    items.push_back(x);
    ++pushed;
    return true;
  }
  std::optional<int> try_pop() override {
    const std::lock_guard hold(m);
    if (items.empty()) return {};
    const int x = items.back();
    items.pop_back();
    return x;
  }
};

TEST_P(Shapes, WherePipesAreTooSmallForWhatAStageChoosesTheyGrow) {
  struct halves : tw::stage {
    tw::in<int> in{this, "in"};
    tw::out<int> a{this, "a"}, b{this, "b"};
    void on_item(tw::in<int>&, int x) { (x < 20'000 ? a : b).send(x); }
  };
  struct b_first : tw::stage {
    tw::in<int> a{this, "a"}, b{this, "b"};
    tw::out<int> out{this, "out"};
    void on_run() override {
      while (b.available()) out.send(b.take());
      if (!b.ended()) return;
      while (a.available()) out.send(a.take());
    }
  };
  std::atomic<int> pushed = 0;
  const tw::connect_options bounds[] = {
      {.capacity = 10},
      {.bytes = 40},
      {.pipe = tw::made_by<int>([&] { return std::make_unique<last_in_first_out>(10, pushed); })}};
  for (const auto& bound : bounds) {
    std::vector<int> seen;
    tw::graph g;
    auto& h = g.add<halves>();
    auto& f = g.add<b_first>();
    g.connect(g.add(tw::source(std::views::iota(0, 40'000))).out, h.in);
    g.connect(h.a, f.a, bound);
    g.connect(h.b, f.b, bound);
    g.connect(f.out, g.add(tw::sink(seen)).in);
    tw::run(g, policy());
    ASSERT_EQ(seen.size(), 40'000U);
    EXPECT_GE(seen.front(), 20'000);
    EXPECT_LT(seen.back(), 20'000);
  }
}

// A sender that has got room moves, though its thread has not noticed yet: no pipe gives way for it.
TEST_P(Shapes, PipesStayBoundedWhereEachItemBecomesMany) {
  struct many : tw::stage {
    tw::in<int> in{this, "in"};
    tw::out<int> out{this, "out"};
    std::atomic<int>& sent;
    explicit many(std::atomic<int>& s) : sent(s) {}
    void on_item(tw::in<int>&, int x) {
      for (int i = 0; i < 50; ++i) {
        ++sent;
        out.send(x);
      }
    }
  };
  // Between threads of their own each item takes a wake-up or two.
  const int items = GetParam().starts_with("threads") ? 20 : 200;
  std::atomic<int> first{0}, second{0}, most{0};
  int seen = 0;
  tw::graph g;
  auto& a = g.add<many>(first);
  auto& b = g.add<many>(second);
  g.connect(g.add(tw::source(std::views::iota(0, items))).out, a.in, {.capacity = 2});
  g.connect(a.out, b.in, {.capacity = 2});
  g.connect(b.out, g.add(tw::sink([&](int) {
                      ++seen;
                      most = std::max<int>(most, first - second / 50);
                    })).in,
            {.capacity = 2});
  tw::run(g, policy());
  EXPECT_EQ(seen, items * 2'500);
  EXPECT_LE(most, 200);
}

// What a pipe holds is seen by the stage that fills it.
template <class T> struct many_of : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<T> out{this, "out"};
  T item;
  std::int64_t most = 0;
  explicit many_of(T x) : item(std::move(x)) {}
  void on_item(tw::in<int>&, int) {
    for (int i = 0; i < 300; ++i) {
      out.send(item);
      most = std::max(most, out.waiting());
    }
  }
};

template <class T> void bytes_bound_what_waits(const T& item, const tw::any_policy& policy) {
  constexpr std::int64_t at_once = 10;
  const auto bytes = static_cast<std::int64_t>(tw::size_of(item));
  for (const std::int64_t capacity : {tw::automatic, 1'000}) {
    int seen = 0;
    tw::graph g;
    auto& m = g.add<many_of<T>>(item);
    g.connect(g.add(tw::source(std::views::iota(0, 20))).out, m.in);
    g.connect(m.out, g.add(tw::sink([&](const T&) { ++seen; })).in,
              {.capacity = capacity, .bytes = at_once * bytes});
    tw::run(g, policy);
    EXPECT_EQ(seen, 6'000);
    EXPECT_GE(m.most, 2);
    EXPECT_LE(m.most, at_once + 1);
  }
}

TEST_P(Shapes, BytesBoundWhatWaits) {
  bytes_bound_what_waits(std::string(1'000, 'x'), policy());
  bytes_bound_what_waits(std::array<int, 200>{}, policy());
}

TEST_P(Shapes, APipeOfOnesOwn) {
  for (const std::size_t room : {1U, 7U, 1000U}) {
    std::atomic<int> pushed = 0;
    std::vector<int> seen;
    tw::graph g;
    g.connect(g.add(tw::source(numbers(3'000))).out, g.add(tw::sink(seen)).in,
              {.pipe = tw::made_by<int>([&] { return std::make_unique<last_in_first_out>(room, pushed); })});
    tw::run(g, policy());
    EXPECT_EQ(pushed, 3'000);
    std::ranges::sort(seen);
    EXPECT_EQ(seen, numbers(3'000));
  }
}

TEST_P(Shapes, CapacityBoundsWhatASourceIsAhead) {
  if (one_thread()) GTEST_SKIP() << "one thread fills the pipe, then empties it";
  for (const bool by_bytes : {false, true}) {
    std::atomic<int> sent = 0;
    std::atomic<bool> open = false;
    int taken = 0;
    struct block {
      std::vector<char> memory = std::vector<char>(100'000);
      [[nodiscard]] std::size_t size_of() const { return sizeof(block) + memory.size(); }
    };
    tw::graph g;
    auto source = g.add(tw::source(
        [&]() -> std::optional<block> {
          if (sent == 500) return {};
          ++sent;
          return block{};
        },
        {.blocking = true}));
    auto sink = g.add(tw::sink(
        [&](const block&) {
          while (!open) std::this_thread::sleep_for(100us);
          ++taken;
        },
        {.blocking = true}));
    tw::connect_options o;
    (by_bytes ? o.bytes : o.capacity) = by_bytes ? 1'000'000 : 10;
    g.connect(source.out, sink.in, o);
    auto e = tw::launch(g, policy());
    EXPECT_TRUE(eventually([&] { return sent >= 5; }));
    std::this_thread::sleep_for(30ms);
    EXPECT_LE(sent, 10 + 30) << "the pipe's, what the sink has in hand, and what the source is filling";
    open = true;
    e.wait();
    EXPECT_EQ(taken, 500);
  }
}

// --- again ---

TEST_P(Shapes, AGraphRunsAgain) {
  std::vector<int> seen;
  tw::graph g;
  auto& c = g.add<counter>(100);
  auto& s = g.add<splitter>();
  auto& k = g.add<collector>();
  g.connect(c.out, s.numbers);
  g.connect(s.even, k.in);
  g.connect(s.odd, g.add(tw::map([n = 0](int x) mutable { return x + 1'000 * n++; }) | tw::sink(seen)).in);
  for (int i = 0; i < 3; ++i) {
    seen.clear();
    const auto r = tw::run(g, policy());
    EXPECT_EQ(r.items(), 100U);
    EXPECT_EQ(k.seen.size(), 50U) << "on_start has cleared it";
    EXPECT_EQ(seen.front(), 1) << "operators of patterns are copied for each run";
    EXPECT_EQ(seen.back(), 99 + 49'000);
  }
}

TEST_P(Shapes, ReportsCountWhatEachStageTookAndGave) {
  tw::graph g;
  auto& s = g.configure(g.add<splitter>(), {.name = "split"});
  g.connect(g.add(tw::source(numbers(100), {.name = "numbers"})).out, s.numbers);
  g.connect(s.even, g.add(tw::filter([](int x) { return x % 4 == 0; }, {.name = "fours"}) |
                          tw::sink([](int) {}, {.name = "even"}))
                        .in);
  auto& k = g.configure(g.add<collector>(), {.name = "odd"});
  g.connect(s.odd, k.in);
  const auto r = tw::run(g, policy());
  EXPECT_EQ(r.items(), 75U);
  EXPECT_EQ(r.stage("numbers").items_out(), 100U);
  EXPECT_EQ(r.stage("split").items_in(), 100U);
  EXPECT_EQ(r.stage("split").items_out(), 100U);
  EXPECT_EQ(r.stage("fours").items_in(), 50U);
  EXPECT_EQ(r.stage("fours").items_out(), 25U);
  EXPECT_EQ(r.stage("even").items_in(), 25U);
  EXPECT_EQ(r.stage("odd").items_in(), 50U);
  EXPECT_EQ(r.stage("odd").items_out(), 0U);
}

TEST_P(Shapes, LatencyUnderAPacedSourceCountsFromTheDueTime) {
  tw::graph g;
  auto& s = g.add<splitter>();
  auto& k = g.add<collector>();
  g.connect(
      g.add(tw::paced([n = 0]() mutable { return n < 40 ? std::optional(n++) : std::nullopt; }, 4'000.0)).out,
      s.numbers);
  g.connect(s.even, g.add(tw::sink([](int) { std::this_thread::sleep_for(1ms); })).in);
  g.connect(s.odd, k.in);
  const auto r = tw::run(g, policy());
  EXPECT_TRUE(r.latency().from_due());
  EXPECT_EQ(r.latency().count(), 40U);
  EXPECT_GE(r.latency().max(), 5ms) << "20 items of 1 ms, due within 10 ms";
  EXPECT_EQ(k.seen.size(), 20U);
}

}  // namespace
