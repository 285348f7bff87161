// The default planner on simulated streams: where it ends, how soon, and what it leaves alone.
#include <thalweg/adapt/adapt.hpp>

#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapt/plant.hpp"

namespace {

namespace ad = tw::adaptation;
using plants::plan;
using plants::plant;

double step_up(double t) {
  return t < 2 ? 100 : 700;
}

// A source, a farm of 10 ms an item (or as given), and a sink.
plan with_farm(plants::stage farm, std::function<double(double)> due) {
  plan p;
  if (farm.name.empty()) farm.name = "farm";
  farm.inputs = {0};
  p.stages = {{.name = "source", .seconds = 1e-5}, farm, {.name = "sink", .inputs = {1}, .seconds = 1e-5}};
  p.due = std::move(due);
  p.cores = 16;
  return p;
}

struct course {
  std::vector<std::vector<int>> replicas;  // of each window, after it, and each stage
  std::vector<std::uint64_t> changes;      // the windows after which something was changed
  std::vector<std::string> reasons;
  double given = 0;  // items a second in the last quarter

  [[nodiscard]] int last(std::size_t stage) const { return replicas.back()[stage]; }
  [[nodiscard]] int most(std::size_t stage) const {
    int n = 0;
    for (const auto& r : replicas) n = std::max(n, r[stage]);
    return n;
  }
  [[nodiscard]] std::ptrdiff_t changes_after(std::uint64_t window) const {
    return std::ranges::count_if(changes, [=](auto w) { return w > window; });
  }
};

course run(const plan& p, int windows) {
  plant stream(p);
  const auto decide = ad::planner("thalweg").begin();
  course c;
  for (int k = 0; k < windows; ++k) {
    const auto& w = stream.next();
    const auto wanted = decide(w);
    if (stream.take(wanted) > 0) {
      c.changes.push_back(w.number);
      c.reasons.push_back(wanted.reason);
    }
    auto& row = c.replicas.emplace_back();
    for (std::size_t i = 0; i < p.stages.size(); ++i) row.push_back(stream.replicas(i));
    if (4 * k >= 3 * windows) c.given += stream.given() / (windows - 3 * windows / 4);
    if (std::getenv("SHOW") != nullptr) {
      std::cout << w.number << " given " << stream.given() << " late " << stream.late();
      for (std::size_t i = 0; i < p.stages.size(); ++i)
        std::cout << " | " << w.stages[i].items() << " q" << w.stages[i].queued << " b"
                  << std::chrono::duration<double>(w.stages[i].busy).count() << " n" << row[i];
      std::cout << "  " << wanted.reason << "\n";
    }
  }
  return c;
}

TEST(ThalwegPlanner, SettlesSoonAfterAStepOfTheLoadAndThenStays) {
  const auto c = run(with_farm({.seconds = 0.01, .most = 16}, step_up), 620);
  // The load needs 7 replicas, which have then nothing to spare: 8.
  EXPECT_EQ(c.last(1), 8);
  EXPECT_EQ(c.most(1), 8);
  EXPECT_EQ(c.changes_after(25), 0);
  EXPECT_NEAR(c.given, 700, 1);
}

}  // namespace
