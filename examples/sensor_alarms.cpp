// Alarms from sensors whose readings come out of order, late, or far too late.
//
// A sensor is hot where the mean of a minute is above 80 degrees. What counts is when a reading was taken,
// not when it came: `event_time`. Readings are up to 20 s out of order, so results wait that long
// (`.disorder`). Some are on their way for longer: for two minutes they still correct a result that has been
// given (`.lateness`), which comes out again as the next revision. What comes later still goes to `.late`.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tw = thalweg;
using namespace std::chrono_literals;
using std::chrono::seconds;

struct reading {
  int sensor;
  seconds taken;
  seconds came;
  double degrees;
};
using minute_of_sensor = tw::keyed<int, tw::windowed<double>>;

/// An hour of ten sensors, a reading each second, in the order in which they come. Sensor 3 is hot from
/// minute 20 to 29; sensor 7 in minute 40, but most of what says so is late. Some of sensor 9 never counts.
std::vector<reading> an_hour() {
  std::vector<reading> all;
  std::mt19937 random(1);
  for (seconds t = 0s; t < 1h; ++t) {
    for (int sensor = 0; sensor < 10; ++sensor) {
      const auto minute = t / 60s;
      auto delay = seconds(random() % 20);
      double degrees = 60 + static_cast<double>(random() % 100) / 10;
      if (sensor == 3 && minute >= 20 && minute < 30) degrees += 25;
      if (sensor == 7 && minute == 40 && t % 60s >= 10s) {
        degrees += 30;
        delay = 100s;
      }
      if (sensor == 9 && t == 600s) delay = 30min;
      all.push_back({sensor, t, t + delay, degrees});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.came < b.came; });
  return all;
}

int main() {
  std::map<std::pair<int, std::int64_t>, double> hot;  // the last word on each sensor and minute
  std::vector<reading> too_late;
  int corrections = 0;

  const auto times = tw::event_time(
      &reading::taken,
      {.disorder = 20s, .lateness = 2min, .late = [&](const reading& r) { too_late.push_back(r); }});
  const auto alarm = [&](const minute_of_sensor& m) {
    const auto minute = m.value.begin / std::chrono::nanoseconds(1min).count();
    if (m.value.revision > 0) ++corrections;
    if (m.value.value > 80 && hot.try_emplace({m.key, minute}, m.value.value).second)
      std::cout << "sensor " << m.key << " is hot in minute " << minute
                << (m.value.revision > 0 ? ", as is known since a late reading came\n" : "\n");
    if (m.value.value <= 80) hot.erase({m.key, minute});
  };
  tw::run(tw::source(an_hour()) | tw::key_by(&reading::sensor) |
          tw::window(tw::tumbling(1min), tw::mean_of(&reading::degrees), times) | tw::sink(alarm));

  std::cout << corrections << " results were corrected; too late:";
  for (const auto& r : too_late)
    std::cout << " sensor " << r.sensor << ", taken at " << r.taken.count() << "s, came at " << r.came.count()
              << 's';
  std::cout << '\n';

  bool as_made = hot.size() == 11 && hot.contains({7, 40});
  for (std::int64_t minute = 20; minute < 30; ++minute) as_made = as_made && hot.contains({3, minute});
  return as_made && corrections > 0 && too_late.size() == 1 && too_late[0].sensor == 9 ? 0 : 1;
}
