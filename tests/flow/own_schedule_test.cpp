#include <thalweg/flow/own_schedule.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <optional>

#include <gtest/gtest.h>

namespace {

namespace tw = thalweg;

constexpr double asked_for = 123;

class OwnSchedule : public testing::Test {
 protected:
  void TearDown() override { tw::flow::know_due_rate(nullptr); }

  // What the first window of a run says of its source; the run ends with it.
  template <class Source> static std::optional<double> due_in_a_window(const Source& source) {
    std::atomic<bool> seen{false};
    std::optional<double> due;
    const auto look = [&](const tw::adaptation::window& w) {
      if (!seen) due = w.stages.front().due_rate;
      EXPECT_FALSE(w.stages.back().due_rate) << "of a sink";
      seen = true;
      return tw::adaptation::changes{};
    };
    tw::run(source(seen) | tw::farm([](int x) { return x; }, {.replicas = 1}) | tw::sink([](int) {}),
            tw::threads{},
            {.adapt =
                 tw::adapt{.every = std::chrono::milliseconds(1), .planner = tw::adaptation::planner(look)}});
    return due;
  }

  static auto until(std::atomic<bool>& seen) {
    return [&seen]() -> std::optional<int> { return seen ? std::nullopt : std::optional(1); };
  }
};

TEST_F(OwnSchedule, IsSeenByPlanners) {
  tw::flow::know_due_rate([] { return std::optional(asked_for); });
  EXPECT_EQ(due_in_a_window([](auto& seen) { return tw::source(until(seen)); }), asked_for);
}

TEST_F(OwnSchedule, IsUnknownIfNobodySaysIt) {
  EXPECT_EQ(due_in_a_window([](auto& seen) { return tw::source(until(seen)); }), std::nullopt);
  EXPECT_EQ(tw::flow::own_due_rate(), std::nullopt);
}

TEST_F(OwnSchedule, IsNotThatOfAPacedSource) {
  tw::flow::know_due_rate([] { return std::optional(asked_for); });
  EXPECT_EQ(due_in_a_window([](auto& seen) { return tw::paced(until(seen), 10'000.0); }), 10'000.0);
}

}  // namespace
