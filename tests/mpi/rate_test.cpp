// The rate of a paced source, set while several ranks execute the stream.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <cstdint>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/ranks.hpp"
#include "mpi/refusal.hpp"

namespace tw = thalweg;
using testing::HasSubstr;

namespace {

constexpr std::uint64_t all = 100;

TEST(Rate, IsSetOnTheRankThatExecutesTheSource) {
  auto e =
      tw::launch(tw::paced([n = 0U]() mutable { return n < all ? std::optional(n++) : std::nullopt; }, 1e-5,
                           {.name = "ticks"}) |
                     tw::farm([](unsigned x) { return x; }, {.name = "pass"}) | tw::sink([](unsigned) {}),
                 ranks::away({"pass"}));
  if (ranks::root()) {
    while (e.stats().stage("ticks").items_out() < 1) std::this_thread::yield();
    e.set_rate("ticks", 1e7);
  } else {
    EXPECT_THAT(refusal([&] { e.set_rate("ticks", 5); }),
                HasSubstr("stage 'ticks' is executed by rank 0: its rate can be set there"));
  }
  const auto r = e.wait();
  EXPECT_EQ(r.rate_changes().size(), ranks::root() ? 1U : 0U);
  EXPECT_EQ(r.stage("ticks").due_rate().has_value(), ranks::root());
  if (ranks::root()) {
    EXPECT_EQ(r.items(), all);
  }
}

}  // namespace
