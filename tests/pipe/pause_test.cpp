#include <thalweg/pipe/pause.hpp>

#include <chrono>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
namespace pipe = thalweg::pipe;

TEST(spin_until, returns_as_soon_as_ready) {
  int looks = 0;
  EXPECT_TRUE(pipe::spin_until([&] { return ++looks == 5; }, 1h));
  EXPECT_EQ(looks, 5);
}

TEST(spin_until, gives_up_when_the_time_is_over) {
  const auto begin = std::chrono::steady_clock::now();
  int looks = 0;
  EXPECT_FALSE(pipe::spin_until([&] { return ++looks < 0; }, 3ms));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 3ms);
  EXPECT_GT(looks, 16);
}

}  // namespace
