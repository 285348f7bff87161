// Signals that stop runs. They are raised here, at times that a signal handler would not like.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/policies.hpp"
#include "support/scale.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

std::atomic<int> others{0};  // signals that came to the handler which was there before

/// Signals 1 and 2 of the user's are counted, as by a program that has a handler of its own.
class StopOn : public under_every_policy {
 protected:
  StopOn() {
    others = 0;
    for (const int s : {SIGUSR1, SIGUSR2}) before_[s == SIGUSR2] = std::signal(s, [](int) { ++others; });
  }
  ~StopOn() override {
    for (const int s : {SIGUSR1, SIGUSR2}) (void)std::signal(s, before_[s == SIGUSR2]);
  }
  static auto endless(std::atomic<long>& n) {
    return tw::source([&n]() -> std::optional<long> { return n++; });
  }

 private:
  void (*before_[2])(int);
};
FOR_EVERY_POLICY(StopOn);

TEST_P(StopOn, TheFirstSignalStopsTheRunAndTheSecondDoesWhatItDidBefore) {
  std::atomic<long> n{0};
  long seen = 0;
  auto e = tw::launch(endless(n) | tw::sink([&](long) { ++seen; }), policy());
  EXPECT_TRUE(eventually([&] { return n > 100; }));
  const tw::stop_on signals(e, {SIGUSR1, SIGUSR2});
  EXPECT_EQ(signals.caught(), 0);
  std::raise(SIGUSR2);
  const auto r = e.wait();
  EXPECT_EQ(signals.caught(), SIGUSR2);
  EXPECT_EQ(r.items(), static_cast<std::uint64_t>(n.load()));
  EXPECT_EQ(seen, n);
  EXPECT_EQ(others, 0);
  std::raise(SIGUSR2);
  EXPECT_EQ(others, 1);
}

TEST_P(StopOn, AnOptionOfTheRun) {
  std::atomic<long> n{0};
  const auto r = tw::run(tw::source([&]() -> std::optional<long> {
                           if (n == 1'000) std::raise(SIGUSR1);
                           return n++;
                         }) | tw::sink([](long) {}),
                         policy(), {.stop_on_signals = {SIGUSR1}});
  EXPECT_EQ(r.items(), static_cast<std::uint64_t>(n.load()));
  EXPECT_EQ(others, 0);
  std::raise(SIGUSR1);
  EXPECT_EQ(others, 1);
}

TEST_P(StopOn, ASignalThatComesWhenTheRunHasEndedIsNotSwallowed) {
  auto e = tw::launch(tw::source(std::vector{1}) | tw::sink([](int) {}), policy());
  e.wait();
  const tw::stop_on signals(e, {SIGUSR1});
  std::raise(SIGUSR1);
  EXPECT_TRUE(eventually([] { return others == 1; }));
  EXPECT_EQ(signals.caught(), 0);
}

TEST_P(StopOn, OneSignalStopsAllRunsThatWatchIt) {
  std::atomic<long> n{0}, m{0};
  auto a = tw::launch(endless(n) | tw::sink([](long) {}), policy());
  auto b = tw::launch(endless(m) | tw::sink([](long) {}), policy());
  const tw::stop_on one(a, {SIGUSR1}), other(b, {SIGUSR1});
  std::raise(SIGUSR1);
  a.wait();
  b.wait();
  EXPECT_EQ(one.caught(), SIGUSR1);
  EXPECT_EQ(other.caught(), SIGUSR1);
}

// Guards against a handler that takes a lock which the interrupted thread holds.
TEST_P(StopOn, SignalsAtAnyTimeBlockNothing) {
  std::atomic<bool> over{false};
  std::thread storm([&] {
    while (!over) {
      (void)kill(getpid(), SIGUSR1);
      std::this_thread::sleep_for(100us);
    }
  });
  for (int i = 0; i < scaled(100); ++i) {
    std::atomic<long> n{0};
    auto e = tw::launch(endless(n) | tw::farm([](long x) { return x; }) | tw::sink([](long) {}), policy(),
                        {.stop_on_signals = {SIGUSR1}});
    e.wait();
  }
  over = true;
  storm.join();
}

TEST(StopOnMistakes, ASignalThatCannotBeCaught) {
  auto e = tw::launch(tw::source(std::vector{1}) | tw::sink([](int) {}));
  try {
    const tw::stop_on signals(e, {SIGUSR1, SIGKILL});
    FAIL() << "took it";
  } catch (const tw::error& x) {
    EXPECT_THAT(x.what(), testing::HasSubstr("signal 9 cannot be caught"));
  }
}

}  // namespace
