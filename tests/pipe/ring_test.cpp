#include <thalweg/pipe/ring.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pipe/tracked.hpp>
#include <rapidcheck/gtest.h>
#include <support/asleep.hpp>
#include <support/eventually.hpp>
#include <support/scale.hpp>

namespace {

using namespace std::chrono_literals;
namespace pipe = thalweg::pipe;

// One thread

TEST(ring, gives_items_back_in_order) {
  pipe::ring<int> ring(3);
  EXPECT_TRUE(ring.empty());
  EXPECT_TRUE(ring.push(1));
  EXPECT_TRUE(ring.try_push(2));
  EXPECT_EQ(ring.size(), 2u);
  int out = 0;
  EXPECT_TRUE(ring.pop(out));
  EXPECT_EQ(out, 1);
  EXPECT_TRUE(ring.try_pop(out));
  EXPECT_EQ(out, 2);
  EXPECT_FALSE(ring.try_pop(out));
  EXPECT_EQ(out, 2);
}

TEST(ring, holds_exactly_its_capacity) {
  for (std::size_t capacity = 1; capacity <= 70; ++capacity) {
    pipe::ring<std::size_t> ring(capacity);
    EXPECT_EQ(ring.capacity(), capacity);
    for (std::size_t lap = 0; lap < 5; ++lap) {
      for (std::size_t i = 0; i < capacity; ++i) ASSERT_TRUE(ring.try_push(i));
      EXPECT_FALSE(ring.try_push(capacity));
      EXPECT_EQ(ring.size(), capacity);
      std::size_t out = 0;
      ASSERT_TRUE(ring.try_pop(out));
      EXPECT_EQ(out, 0u);
      EXPECT_TRUE(ring.try_push(capacity));  // a slot is free at once
      EXPECT_FALSE(ring.try_push(capacity));
      for (std::size_t i = 1; i <= capacity; ++i) {
        ASSERT_TRUE(ring.try_pop(out));
        ASSERT_EQ(out, i);
      }
      EXPECT_FALSE(ring.try_pop(out));
    }
  }
}

TEST(ring, refuses_capacities_it_cannot_hold) {
  constexpr auto most = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(pipe::ring<int>{0}, std::invalid_argument);
  EXPECT_THROW(pipe::ring<int>{most}, std::bad_alloc);
  EXPECT_THROW(pipe::ring<int>{most / 4}, std::bad_alloc);
}

TEST(ring, a_refused_item_is_left_untouched) {
  pipe::ring<std::unique_ptr<int>> ring(1);
  auto item = std::make_unique<int>(1);
  EXPECT_TRUE(ring.try_push(std::move(item)));
  item = std::make_unique<int>(2);
  EXPECT_FALSE(ring.try_push(std::move(item)));
  ASSERT_TRUE(item);
  ring.close();
  EXPECT_FALSE(ring.push(std::move(item)));
  ASSERT_TRUE(item);
  std::array<std::unique_ptr<int>, 1> items{std::move(item)};
  EXPECT_EQ(ring.push_some(items), 0u);
  EXPECT_EQ(ring.try_push_some(items), 0u);
  EXPECT_EQ(*items[0], 2);
}

TEST(ring, closed_and_drained_is_the_end) {
  pipe::ring<int> ring(4);
  ring.push(1);
  ring.push(2);
  EXPECT_FALSE(ring.closed());
  ring.close();
  ring.close();
  EXPECT_TRUE(ring.closed());
  EXPECT_FALSE(ring.try_push(3));
  int out = 0;
  EXPECT_TRUE(ring.pop(out));
  EXPECT_EQ(out, 1);
  EXPECT_EQ(ring.pop_some([&](int& item) { out = item; }), 1u);
  EXPECT_EQ(out, 2);
  EXPECT_FALSE(ring.pop(out));
  EXPECT_FALSE(ring.try_pop(out));
  EXPECT_EQ(ring.pop_some([](int&) {}), 0u);
}

TEST(ring, a_gulp_is_all_that_waits_up_to_a_bound) {
  pipe::ring<int> ring(10);
  for (int i = 0; i < 7; ++i) ring.push(i);
  std::vector<int> got;
  const auto keep = [&](int item) { got.push_back(item); };
  EXPECT_EQ(ring.pop_some(keep, 0), 0u);
  EXPECT_EQ(ring.try_pop_some(keep, 2), 2u);
  EXPECT_EQ(ring.pop_some(keep, 3), 3u);
  EXPECT_EQ(ring.pop_some(keep), 2u);
  EXPECT_EQ(ring.try_pop_some(keep), 0u);
  EXPECT_EQ(got, (std::vector{0, 1, 2, 3, 4, 5, 6}));
}

TEST(ring, takes_a_run_of_items_as_far_as_it_fits) {
  pipe::ring<int> ring(5);
  std::array<int, 4> items{0, 1, 2, 3};
  EXPECT_EQ(ring.try_push_some(items), 4u);
  EXPECT_EQ(ring.try_push_some(items), 1u);
  EXPECT_EQ(ring.try_push_some(items), 0u);
  EXPECT_EQ(ring.try_push_some({}), 0u);
  EXPECT_EQ(ring.push_some({}), 0u);
  int sum = 0;
  EXPECT_EQ(ring.pop_some([&](int item) { sum += item; }), 5u);
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(ring.push_some(items), 4u);
}

TEST(ring, carries_types_that_can_only_be_moved_in_and_used_in_place) {
  struct pinned {  // no default constructor, no assignment
    explicit pinned(int x) : value(x) {}
    pinned(pinned&&) = default;
    pinned& operator=(pinned&&) = delete;
    int value;
  };
  pipe::ring<pinned> ring(2);
  EXPECT_TRUE(ring.push(pinned(7)));
  int got = 0;
  EXPECT_EQ(ring.pop_some([&](pinned& item) { got = item.value; }), 1u);
  EXPECT_EQ(got, 7);
}

TEST(ring, respects_over_alignment_and_odd_sizes) {
  struct alignas(256) wide {
    char bytes[300];
  };
  pipe::ring<wide> ring(3);
  for (char i = 0; i < 9; ++i) {
    wide item{};
    item.bytes[299] = i;
    ASSERT_TRUE(ring.push(item));
    ring.pop_some([&](wide& got) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&got) % 256, 0u);
      EXPECT_EQ(got.bytes[299], i);
    });
  }
  struct odd {
    std::array<char, 100> bytes;
  };
  pipe::ring<odd> odds(7);
  for (char lap = 0; lap < 5; ++lap) {
    for (char i = 0; i < 7; ++i) {
      odd item{};
      item.bytes.fill(i);
      ASSERT_TRUE(odds.push(item));
    }
    char expected = 0;
    odds.pop_some(
        [&](odd& got) {  // what the consumer writes into emptied slots must not reach its neighbours
          for (char byte : got.bytes) ASSERT_EQ(byte, expected);
          ++expected;
        });
    EXPECT_EQ(expected, 7);
  }
}

TEST(ring, an_item_whose_consumption_throws_counts_as_consumed) {
  const auto before = tracked::living.load();
  pipe::ring<tracked> ring(8);
  for (long i = 0; i < 8; ++i) ring.push(tracked(i));
  std::vector<long> got;
  const auto consume = [&](tracked& item) {
    if (item.value() == 3) throw std::runtime_error("three");
    got.push_back(item.value());
  };
  EXPECT_THROW(ring.pop_some(consume), std::runtime_error);
  EXPECT_EQ(ring.size(), 4u);
  EXPECT_EQ(tracked::living.load(), before + 4);
  EXPECT_TRUE(ring.try_push(tracked(8)));
  EXPECT_EQ(ring.pop_some(consume), 5u);
  EXPECT_EQ(got, (std::vector<long>{0, 1, 2, 4, 5, 6, 7, 8}));
  EXPECT_EQ(tracked::living.load(), before);
}

TEST(ring, an_item_that_cannot_be_moved_in_is_not_in) {
  struct moody {
    moody() = default;
    moody(moody&& other) : bad(other.bad) {
      if (bad) throw std::runtime_error("no");
    }
    moody& operator=(moody&&) = default;
    bool bad = false;
  };
  pipe::ring<moody> ring(2);
  moody item;
  item.bad = true;
  EXPECT_THROW(ring.push(std::move(item)), std::runtime_error);
  EXPECT_EQ(ring.size(), 0u);
  item.bad = false;
  EXPECT_TRUE(ring.push(std::move(item)));
  EXPECT_EQ(ring.size(), 1u);
}

TEST(ring, destroys_what_is_left) {
  const auto before = tracked::living.load();
  {
    pipe::ring<tracked> ring(5);
    for (long i = 0; i < 7; ++i) {
      if (i >= 4) {
        tracked out;
        EXPECT_TRUE(ring.try_pop(out));
      }
      EXPECT_TRUE(ring.push(tracked(i)));
    }
    EXPECT_EQ(tracked::living.load(), before + 4);
  }
  EXPECT_EQ(tracked::living.load(), before);
}

RC_GTEST_PROP(ring, behaves_like_a_bounded_deque, ()) {
  const auto capacity = *rc::gen::inRange<std::size_t>(1, 20);
  pipe::ring<std::string> ring(capacity);
  std::deque<std::string> model;
  bool closed = false;
  int number = 0;
  const auto take = [&](std::string& item) {
    RC_ASSERT(!model.empty());
    RC_ASSERT(item == model.front());
    model.pop_front();
  };
  const auto steps = *rc::gen::container<std::vector<std::pair<int, std::size_t>>>(
      rc::gen::pair(rc::gen::inRange(0, 20), rc::gen::inRange<std::size_t>(1, 12)));
  for (const auto& [step, amount] : steps) {
    if (step < 6) {
      auto item = "a string too long to be stored in place: " + std::to_string(number++);
      const auto copy = item;
      const bool fits = !closed && model.size() < capacity;
      RC_ASSERT((fits && step < 3 ? ring.push(std::move(item)) : ring.try_push(std::move(item))) == fits);
      if (fits) model.push_back(copy);
    } else if (step < 10) {
      std::vector<std::string> items(amount);
      for (auto& item : items) item = std::to_string(number++);
      const auto copies = items;
      const auto room = closed ? 0 : std::min(amount, capacity - model.size());
      const auto taken = room == amount && step < 8 ? ring.push_some(items) : ring.try_push_some(items);
      RC_ASSERT(taken == room);
      model.insert(model.end(), copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(room));
    } else if (step < 14) {
      std::string item;
      const bool some = !model.empty();
      RC_ASSERT((some && step < 12 ? ring.pop(item) : ring.try_pop(item)) == some);
      if (some) take(item);
    } else if (step < 19) {
      const auto expected = std::min(amount, model.size());
      RC_ASSERT((expected > 0 && step < 17 ? ring.pop_some(take, amount) : ring.try_pop_some(take, amount)) ==
                expected);
    } else if (amount == 1) {
      ring.close();
      closed = true;
    }
    RC_ASSERT(ring.size() == model.size());
    RC_ASSERT(ring.closed() == closed);
  }
}

// Two threads

std::string name_of(const testing::TestParamInfo<pipe::wait>& info) {
  const std::array names{"adaptive", "spin", "park"};
  return names[static_cast<std::size_t>(info.param)];
}

using ring_waits = testing::TestWithParam<pipe::wait>;

INSTANTIATE_TEST_SUITE_P(all, ring_waits,
                         testing::Values(pipe::wait::adaptive, pipe::wait::spin, pipe::wait::park), name_of);

TEST_P(ring_waits, a_full_ring_holds_the_producer_back_until_there_is_room) {
  pipe::ring<int> ring(1, GetParam());
  ring.push(0);
  std::atomic<bool> pushed{false};
  std::jthread producer([&] {
    EXPECT_TRUE(ring.push(1));
    pushed = true;
  });
  std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(pushed);
  int out = -1;
  EXPECT_TRUE(ring.pop(out));
  EXPECT_TRUE(ring.pop(out));
  EXPECT_EQ(out, 1);
}

TEST_P(ring_waits, an_empty_ring_holds_the_consumer_until_an_item_comes) {
  pipe::ring<int> ring(4, GetParam());
  std::jthread producer([&] {
    std::this_thread::sleep_for(10ms);
    ring.push(5);
    std::this_thread::sleep_for(10ms);
    std::array items{6, 7};
    ring.push_some(items);
  });
  int out = 0;
  EXPECT_TRUE(ring.pop(out));
  EXPECT_EQ(out, 5);
  std::size_t got = 0;
  while (got < 2) got += ring.pop_some([&](int item) { out = item; });
  EXPECT_EQ(out, 7);
}

TEST_P(ring_waits, close_wakes_a_waiting_consumer) {
  pipe::ring<int> ring(4, GetParam());
  std::jthread producer([&] {
    std::this_thread::sleep_for(10ms);
    ring.close();
  });
  int out = 0;
  EXPECT_FALSE(ring.pop(out));
}

TEST_P(ring_waits, close_wakes_a_waiting_producer) {
  pipe::ring<int> ring(4, GetParam());
  std::jthread consumer([&] {
    while (ring.size() < 4) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(10ms);
    ring.close();
  });
  int pushed = 0;
  while (ring.push(pushed)) ++pushed;
  EXPECT_EQ(pushed, 4);
}

TEST_P(ring_waits, close_wakes_a_producer_with_a_run_of_items) {
  pipe::ring<int> ring(4, GetParam());
  std::jthread consumer([&] {
    int out = 0;
    EXPECT_TRUE(ring.pop(out));
    while (ring.size() < 4) std::this_thread::sleep_for(1ms);  // it has the place of that one, too
    std::this_thread::sleep_for(10ms);
    ring.close();
  });
  std::array<int, 9> items{};
  EXPECT_EQ(ring.push_some(items), 5u);
}

// A sleeping producer is normally woken when a quarter is free. It must not depend on that: a consumer that
// took one item may wait for something that only comes after the producer's next push.
TEST(ring, one_free_slot_is_enough_for_a_producer_in_the_end) {
  pipe::ring<int> ring(64);
  std::atomic<bool> pushed{false};
  for (int i = 0; i < 64; ++i) ring.push(i);
  std::jthread producer([&] {
    EXPECT_TRUE(ring.push(64));
    pushed = true;
  });
  std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(pushed);
  int out = 0;
  EXPECT_TRUE(ring.pop(out));
  while (!pushed) std::this_thread::sleep_for(1ms);  // hangs if it is not
  EXPECT_EQ(ring.size(), 64u);
}

TEST(ring, who_waits_sleeps) {
  pipe::ring<int> empty(8), full(1);
  full.push(0);
  std::atomic<pid_t> consumes{0}, produces{0};
  std::jthread consumer([&] {
    consumes = gettid();
    int out = 0;
    empty.pop(out);
  });
  std::jthread producer([&] {
    produces = gettid();
    full.push(1);
  });
  EXPECT_TRUE(eventually([&] { return is_asleep(consumes) && is_asleep(produces); }));
  empty.close();
  full.close();
}

// Random runs: every way to push and to pop, slow and fast sides, closes from anywhere at any time

enum class ending { producer_closes, consumer_closes, third_thread_closes };

struct scenario {
  std::size_t capacity;
  long items;
  ending end;
  pipe::wait how;
  unsigned seed;
};

void doze(std::minstd_rand& random, unsigned rarely) {
  if (random() % rarely != 0) return;
  if (random() % 2 == 0) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 80));
  }
}

/// Pushes tracked items 0, 1, ... until all are in or the ring is closed. Returns how many the ring accepted.
long produce(pipe::ring<tracked>& ring, const scenario& what) {
  std::minstd_rand random(what.seed + 1);
  const unsigned rarely = 10 + random() % 500;
  long next = 0;
  while (next < what.items) {
    doze(random, rarely);
    switch (random() % 4) {
      case 0:
        if (!ring.push(tracked(next))) return next;
        ++next;
        break;
      case 1: {
        tracked item(next);
        if (ring.try_push(std::move(item))) {
          EXPECT_FALSE(item.holds_value());
          ++next;
        } else {
          EXPECT_TRUE(item.holds_value());
          if (ring.closed()) return next;
        }
        break;
      }
      default: {
        std::vector<tracked> items;
        const auto most = std::min<long>(what.items - next, 1 + static_cast<long>(random() % 40));
        for (long i = 0; i < most; ++i) items.emplace_back(next + i);
        const bool blocking = random() % 2 == 0;
        const auto in = blocking ? ring.push_some(items) : ring.try_push_some(items);
        next += static_cast<long>(in);
        if (in < items.size() && (blocking || ring.closed())) return next;
      }
    }
  }
  if (what.end == ending::producer_closes) ring.close();
  return next;
}

/// Pops until the end, or until it has `enough`. Returns how many came, all in order or the test fails.
long consume(pipe::ring<tracked>& ring, const scenario& what, long enough) {
  std::minstd_rand random(what.seed + 2);
  const unsigned rarely = 10 + random() % 500;
  long next = 0;
  bool in_order = true;
  const auto check = [&](tracked& item) { in_order = in_order && item.value() == next++; };
  while (next < enough && in_order) {
    doze(random, rarely);
    tracked out;
    const auto bound = std::min<std::size_t>(1 + random() % 50, static_cast<std::size_t>(enough - next));
    switch (random() % 4) {
      case 0:
        if (!ring.pop(out)) return next;
        check(out);
        break;
      case 1:
        if (ring.try_pop(out)) check(out);
        break;
      case 2:
        ring.try_pop_some(check, bound);
        break;
      default:
        if (ring.pop_some(check, bound) == 0) return next;
    }
  }
  EXPECT_TRUE(in_order) << "before item " << next;
  return next;
}

void run(const scenario& what) {
  SCOPED_TRACE(testing::Message() << "capacity " << what.capacity << ", items " << what.items << ", end "
                                  << static_cast<int>(what.end) << ", wait " << static_cast<int>(what.how)
                                  << ", seed " << what.seed);
  std::minstd_rand random(what.seed);
  const auto living = tracked::living.load();
  {
    pipe::ring<tracked> ring(what.capacity, what.how);
    const auto some = static_cast<long>(random() % static_cast<unsigned>(what.items + 1));
    const auto when = std::chrono::microseconds(random() % 400);
    long accepted = 0, delivered = 0;
    {
      std::jthread producer([&] { accepted = produce(ring, what); });
      std::optional<std::jthread> third;
      if (what.end == ending::third_thread_closes) {
        third.emplace([&] {
          std::this_thread::sleep_for(when);
          ring.close();
        });
      }
      const bool leave = what.end == ending::consumer_closes;
      delivered = consume(ring, what, leave ? some : std::numeric_limits<long>::max());
      if (leave) ring.close();
    }
    // All threads have ended. Only a close from the side may leave items that went in just behind it.
    if (what.end == ending::producer_closes) {
      EXPECT_EQ(accepted, what.items);
      EXPECT_EQ(delivered, what.items);
    }
    EXPECT_EQ(static_cast<std::size_t>(accepted - delivered), ring.size());
    EXPECT_EQ(tracked::living.load() - living, accepted - delivered);
    tracked out;
    for (; delivered < accepted; ++delivered) {
      ASSERT_TRUE(ring.try_pop(out));
      EXPECT_EQ(out.value(), delivered);
    }
    EXPECT_FALSE(ring.try_pop(out));
  }
  EXPECT_EQ(tracked::living.load(), living);
}

std::string end_of(const testing::TestParamInfo<ending>& info) {
  const std::array names{"by_the_producer", "by_the_consumer", "by_a_third"};
  return names[static_cast<std::size_t>(info.param)];
}

using ring_stress = testing::TestWithParam<ending>;

INSTANTIATE_TEST_SUITE_P(ends, ring_stress,
                         testing::Values(ending::producer_closes, ending::consumer_closes,
                                         ending::third_thread_closes),
                         end_of);

TEST_P(ring_stress, loses_nothing_and_keeps_order) {
  std::minstd_rand random(20'240);
  for (int i = 0; i < scaled(150) && !HasFailure(); ++i) {
    const std::size_t capacity = 1 + random() % (i % 4 == 0 ? 3 : 150);
    const auto how = std::array{pipe::wait::adaptive, pipe::wait::park, pipe::wait::spin}[random() % 3];
    // On a busy machine every change of sides may cost a time slice, above all between two threads that spin.
    const auto most = static_cast<unsigned>(std::min<std::size_t>(2'000, capacity * 40));
    run({capacity, static_cast<long>(random() % most), GetParam(), how, static_cast<unsigned>(random())});
  }
}

TEST(ring, a_long_stream_of_small_items_arrives_whole) {
  for (std::size_t capacity : {1, 2, 7, 64, 1024}) {
    pipe::ring<std::uint64_t> ring(capacity);
    const auto items = static_cast<std::uint64_t>(scaled(capacity < 64 ? 30'000 : 1'000'000));
    std::jthread producer([&] {
      for (std::uint64_t i = 0; i < items; ++i) ring.push(i);
      ring.close();
    });
    std::uint64_t expected = 0;
    bool in_order = true;
    while (ring.pop_some([&](std::uint64_t item) { in_order = in_order && item == expected++; })) {
    }
    EXPECT_TRUE(in_order);
    EXPECT_EQ(expected, items);
  }
}

TEST(ring, a_chain_of_rings_passes_the_end_on) {
  constexpr std::size_t links = 5;
  const long items = scaled(20'000);
  std::deque<pipe::ring<std::unique_ptr<long>>> rings;
  for (std::size_t i = 0; i < links; ++i) rings.emplace_back(std::size_t{1} << i);
  std::vector<std::jthread> stages;
  stages.emplace_back([&] {
    for (long i = 0; i < items; ++i) rings.front().push(std::make_unique<long>(i));
    rings.front().close();
  });
  for (std::size_t i = 1; i < links; ++i) {
    stages.emplace_back([&, i] {
      while (rings[i - 1].pop_some([&](auto& item) { rings[i].push(std::move(item)); })) {
      }
      rings[i].close();
    });
  }
  long expected = 0;
  for (std::unique_ptr<long> item; rings.back().pop(item);) ASSERT_EQ(*item, expected++);
  EXPECT_EQ(expected, items);
}

}  // namespace
