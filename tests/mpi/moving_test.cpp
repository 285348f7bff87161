// Farms whose items one rank divides up, and which get replicas on other ranks and lose them while the stream
// runs: with keys, which take along what belongs to them, with a schedule, and in loops.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/ranks.hpp"
#include "mpi/watched.hpp"
#include "support/watchdog.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

int me() {
  return ranks::policy().rank();
}

// --- the same results, whatever is changed ---

std::vector<tw::mpi> ways() {
  const int most = std::max(0, ranks::count() - 2);
  return {ranks::policy({.local = tw::pool{.workers = 2}}),
          ranks::policy({.local = tw::pool{.workers = 2}, .reserve = most, .batch_bytes = 256}),
          ranks::policy({.local = tw::threads{}, .reserve = std::min(1, most)}),
          ranks::policy({.local = tw::sequential{}, .reserve = most, .batch_bytes = 1'024})};
}

// All ranks change the stage "work" again and again, at any moment; `job` makes a job that writes into what
// it is given.
template <class Item> void expect_the_same_whatever_changes(auto job) {
  const auto limited = watchdog::watch(120s, [] { return std::string("replicas change all the time"); });
  std::vector<Item> wanted;
  tw::run(job(wanted), tw::sequential{});
  unsigned round = 0;
  for (const auto& how : ways()) {
    const bool can_change = ranks::count() > 1 || how.options().local->name() != "sequential";
    std::vector<Item> seen;
    auto e = tw::launch(job(seen), how);
    std::minstd_rand random(100 * ++round + static_cast<unsigned>(me()));
    for (int i = 0; can_change && i < 200 && !e.done(); ++i) {
      e.set_replicas("work", 1 + static_cast<int>(random() % (i % 10 == 0 ? 300 : 9)));
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 3'000));
    }
    e.wait();
    if (!ranks::root()) continue;
    ASSERT_EQ(seen.size(), wanted.size());
    const auto differ = std::ranges::mismatch(seen, wanted);
    EXPECT_EQ(differ.in1, seen.end()) << "item " << differ.in1 - seen.begin();
  }
}

void work_a_little() {
  std::this_thread::sleep_for(5us);
}

constexpr long many = 6'000;

TEST(Moving, StateOfEachKey) {
  expect_the_same_whatever_changes<long>([](std::vector<long>& seen) {
    return tw::source(std::views::iota(0L, many)) |
           tw::farm(tw::key_by([](const long& x) { return x * x % 1'009; },
                               [](long& sum, const long& x) {
                                 work_a_little();
                                 return sum += x;
                               }),
                    {.replicas = 2, .name = "work"}) |
           tw::sink(seen);
  });
}

// What it has of each key has no fixed size, and all keys come once more at the end, in their order.
struct history {
  std::map<long, std::string> last;
};

struct remembering {
  std::string operator()(history& h, const long& x) const {
    work_a_little();
    h.last[x % 5] += std::to_string(x % 3);
    std::string all;
    for (const auto& [at, what] : h.last) all += std::to_string(at) + what.substr(what.size() - 1);
    return all;
  }
  void on_end(const std::string& key, history& h, tw::emitter<std::string>& out) const {
    for (const auto& [at, what] : h.last) out(key + " " + std::to_string(at) + " " + what);
  }
};

}  // namespace

template <> struct tw::codec<history> : tw::codec_of_members<&history::last> {};

namespace {

TEST(Moving, StatesOfAnySizeAndWhatIsSentAtTheEnd) {
  expect_the_same_whatever_changes<std::string>([](std::vector<std::string>& seen) {
    return tw::source(std::views::iota(0L, many)) |
           tw::farm(tw::key_by([](const long& x) { return "key " + std::to_string(x * 7'919 % 701); },
                               remembering{}),
                    {.replicas = 2, .name = "work"}) |
           tw::sink(seen);
  });
}

// What a stage behind holds back of a key would be overtaken by what comes to another rank after it.
TEST(Moving, KeysStayWhereAStageBehindKeepsSomethingOfThem) {
  if (ranks::count() == 1) GTEST_SKIP() << "nothing can move";
  using counted = tw::keyed<long, long>;
  std::vector<std::vector<counted>> seen;
  auto e = tw::launch(tw::source(std::views::iota(0L, many)) |
                          tw::farm(tw::key_by([](const long& x) { return x % 301; },
                                              [](long& n, const long& x) {
                                                work_a_little();
                                                return counted{x % 301, n++};
                                              }) |
                                       tw::batch(50),
                                   {.replicas = 2, .unordered = true, .name = "work"}) |
                          tw::sink(seen),
                      ranks::policy({.local = tw::pool{.workers = 2}, .reserve = ranks::count() - 2}));
  std::minstd_rand random(static_cast<unsigned>(me() + 1));
  while (!e.done()) {
    e.set_replicas("work", 1 + static_cast<int>(random() % 9));
    std::this_thread::sleep_for(500us);
  }
  const auto r = e.wait();
  if (!ranks::root()) return;
  std::map<long, long> next;
  std::size_t items = 0;
  for (const auto& some : seen) {
    for (const auto& x : some) {
      EXPECT_EQ(x.value, next[x.key]++);
      ++items;
    }
  }
  EXPECT_EQ(items, static_cast<std::size_t>(many));
}

TEST(Moving, ReductionsAndWhatFollowsInTheFarm) {
  using counted = tw::keyed<std::string, long>;
  expect_the_same_whatever_changes<counted>([](std::vector<counted>& seen) {
    return tw::source(std::views::iota(0L, many)) |
           tw::key_by([](const long& x) { return std::to_string(x * 7'919 % 301); }) |
           tw::farm(tw::reduce(0L,
                               [](long n, const long& x) {
                                 work_a_little();
                                 return 3 * n + x;
                               }) |
                        tw::filter([](const counted& c) { return c.value % 3 != 0; }),
                    {.replicas = 3, .name = "work"}) |
           tw::sink(seen);
  });
}

// An item of which an update is given up leaves no trace.
TEST(Moving, UpdatesThatAreGivenUp) {
  expect_the_same_whatever_changes<long>([](std::vector<long>& seen) {
    return tw::source(std::views::iota(0L, many)) |
           tw::farm(tw::key_by([](const long& x) { return x % 97; },
                               [](long& sum, const long& x) {
                                 sum += x;
                                 if (x % 7 == 0) throw std::runtime_error("no");
                                 return sum;
                               },
                               {.on_error = tw::skip}),
                    {.replicas = 2, .name = "work"}) |
           tw::sink(seen);
  });
}

// These have to stay where they are, and do.
TEST(Moving, WindowsStay) {
  using result = tw::keyed<long, tw::windowed<std::int64_t>>;
  expect_the_same_whatever_changes<result>([](std::vector<result>& seen) {
    return tw::source(std::views::iota(0L, many)) | tw::key_by([](const long& x) { return x % 31; }) |
           tw::farm(tw::window(tw::count(7), tw::count_of()), {.replicas = 3, .name = "work"}) |
           tw::sink(seen);
  });
}

// Each key's items stay in order where nothing else does.
TEST(Moving, WithoutOrderEachKeyKeepsIts) {
  const auto limited = watchdog::watch(120s, [] { return std::string("unordered keys move"); });
  for (const auto& how : ways()) {
    const bool can_change = ranks::count() > 1 || how.options().local->name() != "sequential";
    std::vector<long> seen;
    auto e = tw::launch(tw::source(std::views::iota(0L, many)) |
                            tw::farm(tw::key_by([](const long& x) { return x % 100; },
                                                [](long& n, const long& x) {
                                                  work_a_little();
                                                  return 1'000 * (x % 100) + n++;
                                                }),
                                     {.replicas = 2, .unordered = true, .name = "work"}) |
                            tw::sink(seen),
                        how);
    std::minstd_rand random(static_cast<unsigned>(me()) + 1);
    for (int i = 0; can_change && i < 200 && !e.done(); ++i) {
      e.set_replicas("work", 1 + static_cast<int>(random() % 9));
      std::this_thread::sleep_for(1ms);
    }
    e.wait();
    if (!ranks::root()) continue;
    ASSERT_EQ(seen.size(), std::size_t{many});
    std::map<long, long> next;
    for (const long x : seen) ASSERT_EQ(x % 1'000, next[x / 1'000]++);
  }
}

// Which replica an item goes to depends on how many there are, but the first two are the same ones with any
// number of them, so that what they have counted goes on.
struct nth {
  long n = 0;
  long operator()(const long&) {
    work_a_little();
    return n++;
  }
};

TEST(Moving, WhatARoutingFunctionNamesIsTheSameReplica) {
  if (ranks::count() == 1) GTEST_SKIP() << "how many replicas there are is the local policy's affair";
  const auto limited = watchdog::watch(120s, [] { return std::string("replicas that are named change"); });
  for (const auto& how : ways()) {
    std::vector<long> seen;
    std::atomic<std::size_t> most{0};
    const auto named = tw::route([&](const long& x, std::size_t n) {
      most = std::max(most.load(), n);
      return static_cast<std::size_t>(x) % 2;
    });
    auto e = tw::launch(tw::source(std::views::iota(0L, many)) |
                            tw::farm(tw::per_replica([] { return nth{}; }),
                                     {.replicas = 2, .name = "work", .schedule = named}) |
                            tw::sink(seen),
                        how);
    std::minstd_rand random(static_cast<unsigned>(me()) + 1);
    for (int i = 0; i < 200 && !e.done(); ++i) {
      e.set_replicas("work", 2 + static_cast<int>(random() % 9));
      std::this_thread::sleep_for(1ms);
    }
    e.wait();
    if (!ranks::root()) continue;
    ASSERT_EQ(seen.size(), std::size_t{many});
    for (long x = 0; x < many; ++x) ASSERT_EQ(seen[static_cast<std::size_t>(x)], x / 2);
    if (ranks::count() == 2) continue;  // rank 1 has all of them, and sees how many there are
    EXPECT_GT(most, 2U);
    EXPECT_LE(most, 10U);
  }
}

// --- who works ---

// Tells, while the stream goes on, who has worked on what came last.
struct watched_ranks : watched {
  std::array<std::atomic<std::size_t>, 16> last{};  // by rank: behind its last item

  auto sink() {
    return tw::sink(
        [this](done_by d) {
          seen.push_back(d);
          last[static_cast<std::size_t>(d.rank)].store(seen.size());
          count.store(seen.size(), std::memory_order_release);
        },
        {.name = "write"});
  }
  [[nodiscard]] std::size_t last_of(int rank) const { return last[static_cast<std::size_t>(rank)].load(); }
  void wait_for(int rank) const {
    const auto before = last_of(rank);
    while (last_of(rank) == before) std::this_thread::sleep_for(200us);
  }
  /// Until so many have come none of which is from there.
  void wait_without(int rank, std::size_t n) const {
    while (count.load() < last_of(rank) + n) std::this_thread::sleep_for(200us);
  }
  /// Each number once, in any order.
  [[nodiscard]] bool complete() const {
    std::vector<long> numbers;
    for (const auto& d : seen) numbers.push_back(d.number);
    std::ranges::sort(numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != static_cast<long>(i)) return false;
    }
    return true;
  }
};

const tw::options work{.replicas = 1, .name = "work"};

// The last rank waits in reserve, works while the farm is large, and then never again. `job` makes one whose
// stage "work" begins with one replica.
void expect_the_reserve_to_come_and_go(auto job, bool ordered = true) {
  if (ranks::count() < 3) GTEST_SKIP() << "needs three ranks";
  const auto limited = watchdog::watch(60s, [] { return std::string("the reserve comes, and goes again"); });
  const int reserve = ranks::count() - 1;
  watched_ranks w;
  std::atomic<bool> over{false};
  const auto how = ranks::policy({.local = tw::pool{.workers = 2}, .reserve = 1});
  auto made = job(w, over);
  auto e = [&] {
    if constexpr (std::is_same_v<decltype(made), tw::graph>) {
      return tw::launch(made, how);
    } else {
      return tw::launch(std::move(made), how);
    }
  }();
  std::size_t before = 0, after = 0;
  if (ranks::root()) {
    w.wait_for_more(500);
    before = w.count.load();
    e.set_replicas("work", 8);
    for (int r = 1; r <= reserve; ++r) w.wait_for(r);
    w.wait_for_more(500);
    e.set_replicas("work", 1);
    for (int r = 2; r <= reserve; ++r) w.wait_without(r, 500);
    after = w.count.load();
    w.wait_for_more(1'000);
    e.set_replicas("work", 8);
    for (int r = 1; r <= reserve; ++r) w.wait_for(r);
    e.set_replicas("work", 1);
    w.wait_for_more(10);
    over = true;
  }
  e.wait();
  if (!ranks::root()) return;
  EXPECT_TRUE(ordered ? w.in_order() : w.complete());
  EXPECT_EQ(w.ranks(0, before), std::set<int>{1});
  EXPECT_EQ(w.ranks(after, after + 1'000), std::set<int>{1});
}

auto numbers_until(std::atomic<bool>& over) {
  return tw::source(
      [&over, i = 0L]() mutable -> std::optional<long> { return over ? std::nullopt : std::optional(i++); });
}

constexpr long keys = 97;

TEST(Moving, KeysGoToTheReserveAndComeBack) {
  expect_the_reserve_to_come_and_go([](watched_ranks& w, std::atomic<bool>& over) {
    return numbers_until(over) |
           tw::farm(tw::key_by([](const long& x) { return x % keys; },
                               [](long& before, const long& x) {
                                 std::this_thread::sleep_for(50us);
                                 return done_by{before++ == x / keys ? x : -1, me()};
                               }),
                    work) |
           w.sink();
  });
}

TEST(Moving, ItemsAreDealtToTheReserve) {
  for (const bool routed : {false, true}) {
    auto opts = work;
    opts.schedule =
        routed ? tw::route([](const long& x, std::size_t n) { return static_cast<std::size_t>(x) % n; })
               : tw::schedule(tw::round_robin);
    expect_the_reserve_to_come_and_go([&](watched_ranks& w, std::atomic<bool>& over) {
      return numbers_until(over) |
             tw::farm(
                 [](const long& x) {
                   std::this_thread::sleep_for(50us);
                   return done_by{x, me()};
                 },
                 opts) |
             w.sink();
    });
  }
}

struct lap {
  long number = 0;
  int left = 0;
  int rank = 0;
};

struct laps : tw::stage {
  tw::in<lap> fresh{this, "fresh"}, back{this, "back"};
  tw::out<lap> again{this, "again"};
  tw::out<done_by> done{this, "done"};
  void on_item(tw::in<lap>&, lap x) {
    if (x.left-- > 0) {
      again.send(x);
    } else {
      done.send({x.number, x.rank});
    }
  }
};

TEST(Moving, TheReserveWorksInALoop) {
  tw::let_travel<lap>();
  tw::let_travel<done_by>();
  expect_the_reserve_to_come_and_go(
      [](watched_ranks& w, std::atomic<bool>& over) {
        tw::graph g;
        auto& l = g.add<laps>();
        auto farm = g.add(tw::farm(
            [](lap x) {
              std::this_thread::sleep_for(20us);
              return lap{x.number, x.left, me()};
            },
            work));
        g.connect(g.add(tw::source([&over, i = 0L]() mutable -> std::optional<lap> {
                     return over ? std::nullopt : std::optional(lap{i++, 2, 0});
                   })).out,
                  l.fresh);
        g.connect(l.again, farm.in);
        g.connect(farm.out, l.back);
        g.connect(l.done, g.add(w.sink()).in);
        return g;
      },
      false);
}

// --- what cannot move ---

// Nobody can know how such a state becomes bytes.
struct tied {
  std::unique_ptr<long> sum = std::make_unique<long>(0);
  const tied* self = this;
};

TEST(Moving, WhatCannotTravelStaysAndTheReportSaysSo) {
  std::vector<long> wanted, seen;
  const auto job = [](std::vector<long>& into) {
    return tw::source(std::views::iota(0L, many)) |
           tw::farm(tw::key_by([](const long& x) { return x % 50; },
                               [](tied& t, const long& x) { return *t.sum += x; }),
                    {.replicas = 2, .name = "work"}) |
           tw::sink(into);
  };
  tw::run(job(wanted), tw::sequential{});
  auto e = tw::launch(job(seen), ranks::policy({.local = tw::pool{.workers = 2}}));
  for (int i = 1; i < 20 && !e.done(); ++i) e.set_replicas("work", i);
  const auto r = e.wait();
  if (!ranks::root()) return;
  EXPECT_EQ(seen, wanted);
  if (ranks::count() < 3) return;
  EXPECT_THAT(r.notes(), testing::Contains(testing::AllOf(
                             testing::HasSubstr("the keys of stage 'work' stay on the ranks where they are"),
                             testing::HasSubstr("let_travel<"))));
}

TEST(Moving, TheReportSaysThatWindowsStay) {
  std::atomic<bool> over{false};
  auto e =
      tw::launch(numbers_until(over) | tw::key_by([](const long& x) { return x % 50; }) |
                     tw::farm(tw::window(tw::count(5), tw::count_of()), {.replicas = 2, .name = "work"}) |
                     tw::sink([](const tw::keyed<long, tw::windowed<std::int64_t>>&) {}),
                 ranks::policy({.local = tw::pool{.workers = 2}}));
  if (ranks::root()) {
    e.set_replicas("work", 5);
    std::this_thread::sleep_for(50ms);
    over = true;
  }
  const auto r = e.wait();
  if (!ranks::root() || ranks::count() < 3) return;
  EXPECT_THAT(r.notes(),
              testing::Contains(testing::HasSubstr("what a window keeps for them cannot be moved")));
}

}  // namespace
