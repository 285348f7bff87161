// TeeTime's self-adaptive task farm, for comparison: Section 9.2 of its thesis. Each farm has a manager of
// its own, which knows nothing of the others: it compares what the farm takes with what the last periods
// predict, and adds or removes one replica.
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "line.hpp"
#include "numbers.hpp"
#include "period.hpp"
#include "planners.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// Of each period its end, in seconds, and items a second; the oldest first.
using samples = std::vector<point>;
using predictor = double (*)(const samples&, double now);

double mean(const samples& past, double /*now*/) {
  double sum = 0;
  for (const auto& s : past) sum += s.y;
  return sum / static_cast<double>(past.size());
}

double weighted(const samples& past, double /*now*/) {
  double sum = 0;
  double weights = 0;
  double k = 0;
  for (const auto& s : past) {
    k += 1;
    sum += k * s.y;
    weights += k;
  }
  return sum / weights;
}

double regression(const samples& past, double now) {
  return line_through(past).at(now);
}

// Of one farm. An action is a number of replicas: 1 more, -1 fewer, or 0.
class manager {
 public:
  manager(predictor predict, double boundary, int history, bool literal)
      : predict_(predict),
        boundary_(boundary),
        history_(static_cast<std::size_t>(history)),
        literal_(literal) {}

  int decide(const point& now, bool changed) {
    const auto action = action_for(now, changed);
    past_.push_back(now);
    if (past_.size() > history_) past_.erase(past_.begin());
    return action;
  }
  // What became of it: bounds may have stood in its way.
  void done(int action, double rate_before) {
    if (action > 0)
      before_addition_ = rate_before;
    else if (action < 0)
      before_addition_.reset();
  }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

 private:
  int because(int action, double part, const char* of) {
    reason_ = "takes " + observe::percent_text(part) + of;
    return action;
  }

  int action_for(const point& now, bool changed) {
    constexpr auto of_prediction = " of what the last periods predict";
    if (past_.empty()) {
      reason_ = "has no past yet";
      return 1;
    }
    const auto predicted = predict_(past_, now.x);
    if (predicted <= 0) {
      reason_ = "is predicted to take nothing";
      return 1;
    }
    const auto score = (now.y - predicted) / predicted;
    if (score > boundary_) return because(1, 1 + score, of_prediction);
    if (score < -boundary_) return because(-1, 1 + score, of_prediction);
    if (!before_addition_) return 0;
    if (literal_) return score >= 0 && score < boundary_ ? because(-1, 1 + score, of_prediction) : 0;
    // An addition is judged once, when a whole period shows what it brought.
    if (changed) return 0;
    const auto before = *std::exchange(before_addition_, std::nullopt);
    if (now.y >= (1 + boundary_) * before) return 0;
    return because(-1, before > 0 ? now.y / before : 0, " of what it took before the last addition");
  }

  predictor predict_;
  double boundary_;
  std::size_t history_;
  bool literal_;
  samples past_;
  std::optional<double> before_addition_;  // if that was the last action
  std::string reason_;
};

// Farms that compute: no more than cores. Those that wait most of their time: four times as many.
int most_of(const stage_window& farm, int cores) {
  return std::clamp(farm.computing() < 0.5 ? 4 * cores : cores, farm.least, std::max(farm.least, farm.most));
}

class teetime {
 public:
  teetime(const settings& with, predictor predict)
      : measured_(with.of("period")),
        fresh_(predict, with.of("boundary"), with.whole("history"), with.on("literal")) {}

  changes operator()(const window& w) {
    changes wanted;
    if (!measured_.ends_with(w)) return wanted;
    const auto& seen = measured_.whole();
    const auto now = std::chrono::duration<double>(seen.at).count();
    for (const auto& f : seen.stages) {
      if (!f.farm()) continue;
      auto& its = managers_.try_emplace(f.name, fresh_).first->second;
      const auto rate = per_second(static_cast<double>(f.items()), seen.length);
      const auto action = its.decide({now, rate}, seen.changed);
      const auto replicas = f.replicas + action;
      if (action == 0 || replicas < f.least || (action > 0 && replicas > most_of(f, seen.cores))) continue;
      its.done(action, rate);
      wanted.replicas.push_back({f.name, replicas});
      add_reason(wanted, f.name + " " + its.reason());
    }
    return wanted;
  }

 private:
  period measured_;
  manager fresh_;
  std::map<std::string, manager> managers_;
};

std::vector<setting> its_settings() {
  return {{"period", 0.05, 0.001, 3600},
          {"boundary", 0.025, 0, 100},
          {"history", 5, 1, 1000, true},
          {"literal", 0, 0, 1, true}};
}

}  // namespace

named_planner teetime_planner() {
  return {"teetime", its_settings(),
          [](const settings& with) { return planner::function(teetime(with, regression)); }};
}

named_planner teetime_mean_planner() {
  return {"teetime-mean", its_settings(),
          [](const settings& with) { return planner::function(teetime(with, mean)); }};
}

named_planner teetime_weighted_planner() {
  return {"teetime-weighted", its_settings(),
          [](const settings& with) { return planner::function(teetime(with, weighted)); }};
}

}  // namespace THALWEG_NAMESPACE::adaptation
