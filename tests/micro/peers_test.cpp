#include <algorithm>

#include <gtest/gtest.h>

#include "micro/peers/registry.hpp"
#include "micro/support/raw.hpp"

namespace micro {
namespace {

std::vector<std::unique_ptr<peer>> all_peers() {
  std::vector<std::unique_ptr<peer>> peers;
  peers.push_back(make_thalweg());
  peers.push_back(make_thalweg_sequential());
  peers.push_back(make_thalweg_threads());
  peers.push_back(make_hand_written());
  return peers;
}

template <class Program> void expect_all_give(const Program& program, std::uint64_t expected) {
  for (const auto& p : all_peers()) {
    const auto settings = p->contenders(program);
    EXPECT_EQ(
        std::count_if(settings.begin(), settings.end(), [](const contender& c) { return c.is_default; }), 1);
    for (const auto& c : settings) EXPECT_EQ(c.run(), expected) << c.peer << ", " << c.setting;
  }
}

TEST(peers, farms_give_what_the_loop_gives) {
  for (const std::uint64_t items : {0, 1, 1'000}) {
    const even_farm even{items, {5}};
    expect_all_give(even, loop(even).run());
    const uneven_farm uneven{items, uneven_work(1)};
    expect_all_give(uneven, loop(uneven).run());
  }
}

TEST(peers, a_serial_stage_between_two_farms_gives_what_the_loop_gives) {
  const sandwich_program program{1'000, {5}, {2}, {5}};
  expect_all_give(program, loop(program).run());
}

TEST(peers, timed_items_arrive_in_order_and_each_is_seen) {
  const paced_program program{open_loop(50, 20'000, pacing::sleep), {{5}}, 50};
  expect_all_give(program, loop(even_farm{50, {5}}).run());
  ASSERT_EQ(program.seen->latency.size(), 50U);
  EXPECT_GE(*std::min_element(program.seen->latency.begin(), program.seen->latency.end()), 0);
}

TEST(peers, frames_arrive_whole) {
  const frame_program program{8, 64'000, 1'000};
  checksum expected;
  for (std::uint64_t i = 1; i <= 8; ++i) expected(burn(i, 1));
  expect_all_give(program, expected.value());
}

}  // namespace
}  // namespace micro
