// Stages with ports as parts of lines: serial, in farms, and one for each key.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class OwnStage : public under_every_policy {};
FOR_EVERY_POLICY(OwnStage);

// Sends each number as often as it says, numbered by how many it has seen; the sum at the end.
struct repeats : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<int> out{this, "out"};
  tw::out<int> zeros{this, "zeros", tw::optional_port};
  explicit repeats(std::atomic<int>* count = nullptr) : made(count) {
    if (made != nullptr) ++*made;
  }
  void on_start() override { started = true; }
  void on_item(tw::in<int>&, int x) {
    if (!started) throw std::logic_error("not started");
    if (x < 0) return end();
    if (x == 0) zeros.send(x);
    for (int i = 0; i < x; ++i) out.send(x);
    sum += x;
  }
  void on_end() override { out.send(1'000 + sum); }

  std::atomic<int>* made;
  bool started = false;
  int sum = 0;
};

TEST_P(OwnStage, IsPartOfALine) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{2, 0, 3, 1}) | tw::own_stage(&repeats::in, &repeats::out) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(2, 2, 3, 3, 3, 1, 1'006));
}

TEST_P(OwnStage, MayEndBeforeTheStreamDoes) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{2, -1, 3}) | tw::own_stage(&repeats::in, &repeats::out) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(2, 2, 1'002));
}

TEST_P(OwnStage, EachReplicaOfAFarmHasItsOwn) {
  struct scratch : tw::stage {
    tw::in<int> in{this, "in"};
    tw::out<std::string> out{this, "out"};
    std::atomic<bool> inside{false};
    std::string text;
    void on_item(tw::in<int>&, int x) {
      if (inside.exchange(true)) throw std::logic_error("two at once");
      text = std::to_string(x);
      out.send(text);
      inside = false;
    }
  };
  std::atomic<int> made{0};
  std::vector<std::string> seen;
  const auto job = tw::source(std::views::iota(0, 20'000)) |
                   tw::farm(tw::own_stage(&scratch::in, &scratch::out,
                                          [&] {
                                            ++made;
                                            return std::make_unique<scratch>();
                                          }),
                            {.replicas = 3}) |
                   tw::sink(seen);
  for (int run = 0; run < 2; ++run) {
    seen.clear();
    made = 0;
    tw::run(job, policy());
    EXPECT_GE(made, 1);
    EXPECT_LE(made, 3);
    ASSERT_EQ(seen.size(), 20'000U);
    for (int i = 0; i < 20'000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], std::to_string(i));
  }
}

TEST_P(OwnStage, EachKeyHasItsOwn) {
  std::atomic<int> made{0};
  const auto stage = tw::stage_per_key([](int x) { return x % 10; }, &repeats::in, &repeats::out,
                                       [&] { return std::make_unique<repeats>(&made); });
  std::vector<int> want;
  tw::run(tw::source(std::vector{2, 12, 1, 2, 21}) | stage | tw::sink(want), tw::sequential{});
  ASSERT_EQ(want.size(), 2U + 12 + 1 + 2 + 21 + 2);
  EXPECT_EQ(want[want.size() - 2], 1'016) << "of the key that came first";
  EXPECT_EQ(want.back(), 1'022);
  EXPECT_EQ(made, 2);
  std::vector<int> items(5'000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<int>(i * i % 47);
  want.clear();
  tw::run(tw::source(items) | stage | tw::sink(want), tw::sequential{});
  std::vector<int> seen;
  tw::run(tw::source(items) | tw::farm(stage, {.replicas = 3}) | tw::sink(seen), policy());
  EXPECT_EQ(seen, want);
}

TEST_P(OwnStage, AFailureNamesTheStage) {
  struct fails : tw::stage {
    tw::in<int> in{this, "in"};
    tw::out<int> out{this, "out"};
    void on_item(tw::in<int>&, int x) {
      out.send(x);
      if (x == 3) throw std::runtime_error("three");
    }
  };
  const auto through = [&](tw::options opts, std::vector<int>& seen) {
    tw::run(tw::source(std::vector{1, 2, 3, 4}) |
                tw::own_stage(
                    &fails::in, &fails::out, [] { return std::make_unique<fails>(); }, std::move(opts)) |
                tw::sink(seen),
            policy());
  };
  std::vector<int> seen;
  const auto f = failure_of([&] { through({.name = "f"}, seen); });
  EXPECT_EQ(f.stage, "f");
  EXPECT_EQ(f.cause, "three");
  seen.clear();
  through({.on_error = tw::skip}, seen);
  EXPECT_THAT(seen, ElementsAre(1, 2, 4)) << "nothing of a failed call goes on";
}

TEST_P(OwnStage, OtherPortsAreRefused) {
  struct two : tw::stage {
    tw::in<int> in{this, "in"};
    tw::out<int> out{this, "out"}, other{this, "other"};
    void on_item(tw::in<int>&, int x) { out.send(x); }
  };
  const auto f = failure_of([] {
    tw::run(tw::source(std::vector{1}) | tw::own_stage(&two::in, &two::out) | tw::sink([](int) {}), policy());
  });
  EXPECT_THAT(f.cause, HasSubstr("another output, 'other'"));
}

}  // namespace
