// The default planner and batches, in virtual time.
#include <thalweg/adapt/adapt.hpp>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <adapt/batch_stream.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using made::batch_plan;
using made::batch_stream;
namespace ad = thalweg::adaptation;

struct course {
  std::vector<std::uint64_t> changes;  // windows after which something was changed
  std::vector<std::string> reasons;
  thalweg::observe::histogram latency;  // of the last 100 windows
  std::chrono::nanoseconds interval{0};
  int replicas = 0;
  double used = 0;  // processors, in the last 100 windows

  [[nodiscard]] std::ptrdiff_t changes_after(std::uint64_t window) const {
    return std::ranges::count_if(changes, [=](auto w) { return w > window; });
  }
};

course run(const batch_plan& p, int windows) {
  batch_stream stream(p);
  const auto decide = ad::planner("thalweg").begin();
  course c;
  for (int k = 0; k < windows; ++k) {
    const auto w = stream.next();
    const auto wanted = decide(w);
    if (stream.take(wanted)) {
      c.changes.push_back(w.number);
      c.reasons.push_back(wanted.reason);
    }
    if (k >= windows - 100) {
      c.latency.merge(w.latency);
      c.used += std::chrono::duration<double>(w.cpu).count() / p.window / 100;
    }
    if (std::getenv("SHOW") != nullptr)
      std::cout << w.number << " q99 " << w.latency.quantile(0.99) / 1e6 << " ms, interval "
                << stream.limits().interval.count() / 1e6 << " replicas " << stream.replicas() << " busy "
                << std::chrono::duration<double>(w.stages[2].busy).count() << " queued " << w.stages[2].queued
                << "  " << wanted.reason << "\n";
  }
  c.interval = stream.limits().interval;
  c.replicas = stream.replicas();
  return c;
}

TEST(ThalwegBatches, AreShortenedUntilTheLatencyIsWithinItsLimit) {
  const auto c = run({.goal = thalweg::latency(0.99, 10ms)}, 300);
  EXPECT_LE(c.latency.quantile(0.99), std::chrono::nanoseconds(10ms).count());
  EXPECT_GE(c.interval, 3ms);  // no shorter than that takes
  EXPECT_EQ(c.changes_after(100), 0);
}

TEST(ThalwegBatches, AreShortenedBeforeReplicasAreAdded) {
  const auto c = run({.replicas = 2, .most = 16, .goal = thalweg::latency(0.99, 10ms)}, 300);
  EXPECT_LE(c.latency.quantile(0.99), std::chrono::nanoseconds(10ms).count());
  EXPECT_LE(c.replicas, 2);
}

}  // namespace
