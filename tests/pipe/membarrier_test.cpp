#include <thalweg/pipe/cache_line.hpp>
#include <thalweg/pipe/membarrier.hpp>
#include <thalweg/pipe/pause.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <support/scale.hpp>

namespace {

namespace pipe = thalweg::pipe;

/// Two threads, round by round: each stores its own variable, fences, and loads the other's. Returns in how
/// many rounds both saw the old value, which is what the fences must make impossible.
template <class Fence0, class Fence1> int both_blind(int rounds, Fence0 fence0, Fence1 fence1) {
  struct cell {
    std::atomic<int> stored{0};
    int seen = 0;
  };
  std::vector<pipe::padded<cell>> left(rounds), right(rounds);
  std::atomic<int> left_at{0}, right_at{0};
  const auto run = [rounds](auto& mine, auto& others, auto& my_turn, auto& other_turn, auto& fence) {
    for (int i = 0; i < rounds; ++i) {
      my_turn.store(i + 1, std::memory_order_release);
      while (other_turn.load(std::memory_order_acquire) <= i) {  // both start the round together
        if (!pipe::spin_until([&] { return other_turn.load(std::memory_order_acquire) > i; }))
          std::this_thread::yield();
      }
      mine[i]->stored.store(1, std::memory_order_relaxed);
      fence();
      mine[i]->seen = others[i]->stored.load(std::memory_order_relaxed);
    }
  };
  std::thread other([&] { run(right, left, right_at, left_at, fence1); });
  run(left, right, left_at, right_at, fence0);
  other.join();
  int blind = 0;
  for (int i = 0; i < rounds; ++i) blind += left[i]->seen == 0 && right[i]->seen == 0;
  return blind;
}

TEST(membarrier, light_and_heavy_fence_pair) {
  EXPECT_EQ(both_blind(scaled(20'000), pipe::light_fence, pipe::heavy_fence), 0);
}

TEST(membarrier, heavy_fences_pair) {
  EXPECT_EQ(both_blind(scaled(20'000), pipe::heavy_fence, pipe::heavy_fence), 0);
}

}  // namespace
