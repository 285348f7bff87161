// The longest span of time that there is means never, wherever a user may give one: no sum of it with the
// time of day comes out in the past.
#include <thalweg/stages.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/scratch.hpp"
#include "support/eventually.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using testing::ElementsAre;

namespace {

constexpr auto never = std::chrono::nanoseconds::max();

class LongestSpan : public under_every_policy {};
FOR_EVERY_POLICY(LongestSpan);

TEST_P(LongestSpan, OfASampler) {
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 1'000)) | tw::sampler(never) | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre(0));
}

TEST_P(LongestSpan, OfABatch) {
  std::vector<std::size_t> seen;
  tw::run(tw::source(std::views::iota(0, 1'000)) | tw::batch(400, never) |
              tw::sink([&](const std::vector<int>& all) { seen.push_back(all.size()); }),
          policy());
  EXPECT_THAT(seen, ElementsAre(400, 400, 200));
}

TEST_P(LongestSpan, OfARateMeter) {
  std::vector<std::uint64_t> totals;
  tw::run(tw::source(std::views::iota(0, 1'000)) |
              tw::rate_meter([&](double, std::uint64_t total) { totals.push_back(total); }, never) |
              tw::sink([](int) {}),
          policy());
  EXPECT_THAT(totals, ElementsAre(1'000));
}

TEST_P(LongestSpan, OfAFile) {
  const scratch dir;
  tw::run(tw::source(std::vector<std::string>{"a", "b"}) |
              tw::file_sink(dir / "log", {.append = true, .flush_every = never, .rotate = {.every = never}}),
          policy());
  EXPECT_THAT(dir.names(), ElementsAre("log"));
  EXPECT_EQ(scratch::read(dir / "log"), "a\nb\n");
}

TEST_P(LongestSpan, OfStateThatExpires) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 1, 1}) |
              tw::key_by([](int x) { return x; }, [](int& n, int) { return ++n; }, {.expire_after = never}) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
}

TEST_P(LongestSpan, OfARetry) {
  std::atomic<int> tries{0};
  auto e = tw::launch(tw::source(std::vector{1}) |
                          tw::map(
                              [&](int x) {
                                ++tries;
                                return x > 0 ? throw std::runtime_error("no") : x;
                              },
                              {.on_error = tw::retry(3, never)}) |
                          tw::sink([](int) {}),
                      policy());
  if (!one_thread()) {
    EXPECT_TRUE(eventually([&] { return tries == 1; }));
  }
  e.cancel();
  e.wait();
  EXPECT_LE(tries, 1);
}

}  // namespace
