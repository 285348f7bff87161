// The default planner while the load changes, in virtual time, against every fixed number of replicas. What a
// fixed number is compared by is what the planner holds on average: as many, all the time.
#include <thalweg/adapt/adapt.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "adapt/plant.hpp"

namespace {

namespace ad = tw::adaptation;

constexpr double each = 0.01;  // seconds that a replica needs for an item
constexpr double in_time = 0.05;
constexpr double length = 60;
constexpr int most = 16;

struct load {
  std::string name;
  std::function<double(double)> due;
};

double wave(double t, double seconds) {
  return std::sin(2 * std::numbers::pi * t / seconds);
}

// Of a day in a minute: few at night, a peak in the morning and one in the evening.
double flights(double t) {
  const auto hour = std::fmod(t * 24 / length, 24.0);
  const auto peak = [&](double at, double wide) { return std::exp(-std::pow((hour - at) / wide, 2)); };
  return 100 + 500 * peak(8, 3) + 650 * peak(18, 3.5);
}

std::vector<load> loads() {
  return {{"step", [](double t) { return t < 20   ? 100.0
                                         : t < 40 ? 700.0
                                                  : 100.0; }},
          {"wave", [](double t) { return 400 - 300 * wave(t + 2.5, 10); }},
          {"spike", [](double t) { return std::fmod(t, 10) < 9 ? 150.0 : 900.0; }},
          {"binary", [](double t) { return std::fmod(t, 10) < 5 ? 150.0 : 750.0; }},
          {"steps", [](double t) { return 150.0 + 100.0 * std::floor(std::fmod(t, 30) / 5); }},
          {"flights", flights}};
}

struct outcome {
  double done = 0, due = 0, late = 0;  // items
  double work = 0, held = 0;           // processor seconds, and seconds of replicas
  int changes = 0;
};

outcome run(const load& l, double noise, int fixed) {
  plants::plan p;
  p.stages = {{.name = "source", .seconds = 1e-5},
              {.name = "farm",
               .inputs = {0},
               .seconds = each,
               .serial = 0.005,
               .replicas = std::max(fixed, 2),
               .most = most},
              {.name = "sink", .inputs = {1}, .seconds = 1e-5}};
  p.stages[1].replicas = fixed > 0 ? fixed : 2;
  p.due = l.due;
  p.cores = most;
  p.noise = noise;
  plants::plant stream(p);
  const auto decide = ad::planner("thalweg").begin();
  outcome o;
  while (stream.seconds() < length - 1e-9) {
    const auto& w = stream.next();
    const auto items = stream.done() * p.window;
    o.due += l.due(stream.seconds() - p.window / 2) * p.window;
    o.done += items;
    const auto waiting = stream.late() + w.stages[1].queued;
    if (waiting > in_time * std::max(stream.done(), 1.0)) o.late += items;
    o.work += stream.at_work() * p.window;
    o.held += w.stages[1].replicas * p.window;
    if (fixed == 0) o.changes += stream.take(decide(w));
  }
  return o;
}

// The fewest processor seconds: with the best fixed number of each moment nothing is late, and nothing
// disturbs more than it must.
double least_work(const load& l) {
  plants::stage farm{.seconds = each, .serial = 0.005};
  double work = 0;
  for (double t = 0; t < length; t += 0.01)
    work += 0.01 * (plants::busy_with(farm, l.due(t) * each, most) + 2e-5 * l.due(t));
  return work;
}

TEST(ChangingLoads, AreFollowed) {
  for (const auto noise : {0.0, 0.08}) {
    for (const auto& l : loads()) {
      const auto planned = run(l, noise, 0);
      const auto mean = static_cast<int>(std::ceil(planned.held / length));
      outcome best = run(l, noise, 1);
      for (int n = 2; n <= most; ++n) {
        const auto fixed = run(l, noise, n);
        if (fixed.done > best.done * 1.0001) best = fixed;
      }
      const auto alike = run(l, noise, mean);
      const auto share = [](double part, double whole) { return std::round(1000 * part / whole) / 10; };
      std::cout << l.name << " noise " << noise << ": done " << share(planned.done, best.done)
                << " % of the best, late " << share(planned.late, planned.due) << " % (" << mean
                << " replicas: " << share(alike.late, alike.due) << " %), work "
                << share(planned.work, least_work(l)) << " %, held " << planned.held / length << " (fewest "
                << least_work(l) / length << "), changes " << planned.changes << "\n";
      EXPECT_GE(planned.done, 0.995 * best.done) << l.name;
      // The goal is a tenth. What waits from before the first window of a spike takes as long as it lasts.
      EXPECT_LE(planned.late, (l.name == "spike" ? 0.17 : 0.1) * alike.late) << l.name;
      EXPECT_LE(planned.work, 1.05 * least_work(l)) << l.name;
    }
  }
}

}  // namespace
