// What closes a batch, set while several ranks execute the stream.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/ranks.hpp"
#include "mpi/refusal.hpp"

namespace tw = thalweg;
using testing::HasSubstr;

namespace {

constexpr std::int64_t endless = 1'000'000'000;
using group = std::vector<unsigned>;

auto numbers() {
  return tw::source([n = 0U]() mutable { return std::optional(n++); });
}

TEST(BatchChange, IsMadeOnTheRankThatExecutesTheBatch) {
  auto e = tw::launch(numbers() | tw::farm([](unsigned x) { return x; }, {.name = "pass"}) |
                          tw::batch(endless, {.name = "blocks"}) | tw::sink([](const group&) {}),
                      ranks::away({"pass"}));
  if (ranks::root()) {
    e.set_batch("blocks", {.items = 10});
    while (e.stats().items() < 10) std::this_thread::yield();
    e.stop();
  } else {
    EXPECT_THAT(refusal([&] { e.set_batch("blocks", {.items = 5}); }),
                HasSubstr("stage 'blocks' is executed by rank 0: its limits can be set there"));
  }
  const auto r = e.wait();
  EXPECT_EQ(r.batch_changes().size(), ranks::root() ? 1U : 0U);
  EXPECT_EQ(r.stage("blocks").batch().has_value(), ranks::root());
}

TEST(BatchChange, IsRefusedInAFarm) {
  if (ranks::count() == 1) GTEST_SKIP() << "nothing is elsewhere";
  auto e = tw::launch(numbers() | tw::farm(tw::batch(10, {.name = "blocks"}), {.unordered = true}) |
                          tw::sink([](const group&) {}),
                      ranks::away({"blocks"}));
  EXPECT_THAT(refusal([&] { e.set_batch("blocks", {.items = 5}); }),
              HasSubstr("is in a farm, and the run is on several ranks"));
  e.stop();
  EXPECT_TRUE(e.wait().batch_changes().empty());
}

}  // namespace
