#pragma once

#include <thalweg/adapt/planner.hpp>
#include <thalweg/adapt/window.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Windows of runs that do not exist, in virtual time.
namespace made {

namespace adaptation = thalweg::adaptation;
using adaptation::stage_window;
using adaptation::window;

inline std::chrono::nanoseconds seconds(double s) {
  return std::chrono::nanoseconds(std::llround(s * 1e9));
}

inline std::uint64_t items(double n) {
  return static_cast<std::uint64_t>(std::llround(n));
}

inline stage_window source(double given, std::optional<double> due = {}) {
  stage_window s;
  s.name = "read";
  s.source = true;
  s.items_out = items(given);
  s.due_rate = due;
  return s;
}

// A stage that spends `each` seconds on an item.
inline stage_window stage(std::string name, std::vector<std::size_t> inputs, double in, double out,
                          double each) {
  stage_window s;
  s.name = std::move(name);
  s.inputs = std::move(inputs);
  s.items_in = items(in);
  s.items_out = items(out);
  s.runs = s.items_in;
  s.busy = s.cpu = seconds(in * each);
  return s;
}

inline stage_window farm(std::string name, std::vector<std::size_t> inputs, double in, double out,
                         double each, int replicas, int most = 16) {
  auto s = stage(std::move(name), std::move(inputs), in, out, each);
  s.replicas = replicas;
  s.most = most;
  return s;
}

inline stage_window sink(std::size_t input, double in, double each) {
  auto s = stage("write", {input}, in, 0, each);
  s.sink = true;
  return s;
}

// What replicas are asked for the stage; none if it is not named.
inline std::optional<int> asked(const adaptation::changes& c, std::string_view stage) {
  for (const auto& r : c.replicas) {
    if (r.stage == stage) return r.replicas;
  }
  return {};
}

// A run in windows of the same length: a source, a farm, a sink. What a farm of n replicas can do is a
// function of n, and so is when that changes.
struct plant {
  std::function<double(int)> can;  // items a second that the farm does, if it has enough
  double due = 0;                  // items a second that come; 0: as many as the farm does
  double length = 1;               // of a window, in seconds
  int replicas = 1;
  int most = 16;
  int cores = 16;
  bool marks = false;  // windows after a change as `changed`
  std::uint64_t number = 0;
  bool just_changed = false;

  window next() {
    window w;
    w.number = ++number;
    w.at = seconds(length * static_cast<double>(number));
    w.length = seconds(length);
    w.cores = cores;
    w.changed = marks && just_changed;
    const auto most_done = can(replicas);
    const auto rate = due > 0 ? std::min(due, most_done) : most_done;
    const auto n = rate * length;
    w.stages = {source(n, due > 0 ? std::optional(due) : std::nullopt),
                farm("work", {0}, n, n, replicas / most_done, replicas, most), sink(1, n, 1e-6)};
    return w;
  }

  // The replicas after each of so many windows.
  std::vector<int> follow(const adaptation::planner::function& decide, int windows) {
    std::vector<int> seen;
    for (int i = 0; i < windows; ++i) {
      const auto wanted = asked(decide(next()), "work");
      just_changed = wanted && *wanted != replicas;
      if (wanted) replicas = std::clamp(*wanted, 1, most);
      seen.push_back(replicas);
    }
    return seen;
  }
};

}  // namespace made
