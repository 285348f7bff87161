// The thread behind `run_options::monitor`: it is through before the run is gone, and no other run writes to
// its file.
#include <thalweg/run/engine.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "support/failure.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

struct Sampler : testing::Test {
  ~Sampler() override { std::filesystem::remove(path); }
  [[nodiscard]] std::size_t lines() const {
    std::ifstream in(path);
    std::size_t n = 0;
    for (std::string line; std::getline(in, line);) ++n;
    return n;
  }

  const std::string path =
      (std::filesystem::temp_directory_path() / ("sampler_" + std::to_string(getpid()))).string();
};

auto short_job() {
  return tw::source(std::vector{1, 2, 3}) | tw::sink([](int) {});
}
auto endless_job() {
  return tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) | tw::sink([](int) {});
}

// An engine whose run is over at once. What is counted goes with it.
std::atomic<bool> gone{false};
std::atomic<bool> counted_when_gone{false};

class brief final : public tw::run_detail::engine {
 public:
  explicit brief(std::unique_ptr<tw::run_detail::run_state> s) : engine(std::move(s)) {
    state_->counters.dropped_before = [](std::size_t) {
      // It takes a while: long enough for the other thread to go on if it does not wait.
      for (int i = 0; i < 100 && !gone; ++i) std::this_thread::sleep_for(1ms);
      if (gone) counted_when_gone = true;
      return std::uint64_t{0};
    };
  }
  ~brief() override { gone = true; }
  void start(bool) override { state_->finished(); }
  void join() override { state_->flags.wait_done(); }
  void wake() override {}
};

TEST_F(Sampler, LooksAtNothingThatHasGoneWithAnExecutionThatNobodyWaitsFor) {
  const tw::any_policy policy("brief", nullptr,
                              [](std::unique_ptr<tw::run_detail::run_state> s,
                                 const void*) -> std::shared_ptr<tw::run_detail::engine> {
                                return std::make_shared<brief>(std::move(s));
                              });
  { const auto e = tw::launch(short_job(), policy, {.monitor = path}); }
  EXPECT_TRUE(gone);
  EXPECT_FALSE(counted_when_gone);
  EXPECT_EQ(lines(), 1U);
}

TEST_F(Sampler, AFileOfARunThatGoesOnIsRefusedAndStaysAsItIs) {
  auto e = tw::launch(endless_job(), {.monitor = path, .every = 1ms});
  while (lines() < 2) std::this_thread::yield();
  try {
    tw::run(short_job(), {.monitor = path});
    ADD_FAILURE() << "it has run";
  } catch (const std::system_error& problem) {
    EXPECT_EQ(problem.code(), std::errc::device_or_resource_busy);
    EXPECT_THAT(problem.what(), HasSubstr("'" + path + "', to which another run writes"));
  }
  EXPECT_GE(lines(), 2U);
  e.stop();
  e.wait();
  // The run is over, though somebody may still ask it.
  tw::run(short_job(), {.monitor = path, .every = 1h});
  EXPECT_EQ(lines(), 1U);
}

TEST_F(Sampler, SeveralRunsMayWriteToADevice) {
  auto e = tw::launch(endless_job(), {.monitor = "/dev/null"});
  EXPECT_EQ(tw::run(short_job(), {.monitor = "/dev/null"}).items(), 3U);
  e.stop();
  e.wait();
}

TEST_F(Sampler, TheFileOfTheTraceIsNotThatOfTheSamples) {
  EXPECT_THAT(problems_of([&] { tw::run(short_job(), {.trace = path, .monitor = path}); }),
              ElementsAre(HasSubstr(".trace and .monitor both name '" + path + "'")));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Sampler, WhatMeasuresAProgramGetsTheSamplesOfItsNextRunAlone) {
  tw::run_detail::monitor_next_run(path, 2s);
  tw::run(short_job(), {.observe = false});  // of which there are none
  const auto own = path + ".own";
  tw::run(short_job(), {.monitor = own});
  EXPECT_TRUE(std::filesystem::remove(own));
  EXPECT_FALSE(std::filesystem::exists(path));
  tw::run(short_job());
  EXPECT_EQ(lines(), 1U);
  std::filesystem::remove(path);
  tw::run(short_job());
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
