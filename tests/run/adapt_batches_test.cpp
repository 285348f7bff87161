// The default planner and the batches of a run.
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "support/eventually.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

TEST(adapt_batches, a_goal_of_latency_shortens_what_batches_hold) {
  auto numbers = [n = 0]() mutable { return std::optional(n++); };
  // Half of the items wait for 50 ms and more, however fast the machine is.
  auto job = tw::paced(numbers, 1'000.0) | tw::batch(1'000'000, 100ms, {.name = "group"}) |
             tw::sink([](const std::vector<int>&) {});
  auto e = tw::launch(job, tw::pool{}, {.adapt = tw::adapt{.goal = tw::latency(0.5, 30ms), .every = 50ms}});
  const auto is_short = [&] {
    const auto now = e.stats();
    return !now.batch_changes().empty() && now.batch_changes().back().to.interval < 30ms;
  };
  ASSERT_TRUE(eventually(is_short));
  e.stop();
  const auto r = e.wait();
  EXPECT_EQ(r.batch_changes().front().from.interval, 100ms);
  for (const auto& change : r.batch_changes()) EXPECT_EQ(change.to.items, 1'000'000);
  // Where other programs have the cores, something else may come first.
  std::string reasons;
  for (const auto& d : r.decisions()) reasons += d.reason + "\n";
  EXPECT_THAT(reasons, testing::HasSubstr("batches hold them for 100 ms"));
}
