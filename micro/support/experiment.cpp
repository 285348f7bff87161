#include "experiment.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "clock.hpp"

namespace micro {
namespace {

/// Some runtimes leave threads spinning after their work; whoever runs next must not pay for them.
void await_rest() {
  constexpr nanos look = 300'000;
  const nanos give_up = now() + 200'000'000;
  while (now() < give_up) {
    const nanos before = processor_time();
    sleep_until(now() + look);
    if (processor_time() - before < look / 10) return;
  }
}

}  // namespace

sample measure_once(const contender& who, std::uint64_t expected, const std::function<usage()>& used) {
  await_rest();
  const usage before = used();
  const nanos start = now();
  const std::uint64_t sum = who.run();
  const nanos stop = now();
  const usage after = used();
  if (sum != expected) throw std::runtime_error("its output is not that of the loop");
  return {static_cast<double>(stop - start), static_cast<double>(after.processor - before.processor),
          static_cast<double>(after.messages - before.messages)};
}

std::optional<std::size_t> best_setting(const std::vector<contender>& settings,
                                        const std::function<double(const contender&)>& cost,
                                        const std::string& bench, const std::string& variant, reporter& out) {
  constexpr double failed = std::numeric_limits<double>::infinity();
  constexpr std::size_t tried_twice = 3;
  struct trial {
    std::size_t setting;
    double cost;
  };
  const auto try_out = [&](std::size_t i) {
    const auto name = settings[i].peer + ", " + settings[i].setting;
    out.progress(bench, 0, 1, variant + ": trying " + name);
    try {
      return cost(settings[i]);
    } catch (const std::exception& e) {
      out.wrong(bench, variant, name, e.what());
      return failed;
    }
  };
  const auto cheaper = [](const trial& one, const trial& other) { return one.cost < other.cost; };
  std::vector<trial> trials;
  for (std::size_t i = 0; i < settings.size(); ++i) trials.push_back({i, try_out(i)});
  std::stable_sort(trials.begin(), trials.end(), cheaper);
  if (trials.size() > tried_twice) trials.resize(tried_twice);
  for (auto& t : trials) {
    if (t.cost == failed) continue;
    const double again = try_out(t.setting);
    t.cost = again == failed ? failed : std::min(t.cost, again);
  }
  const auto best = std::min_element(trials.begin(), trials.end(), cheaper);
  if (best == trials.end() || best->cost == failed || settings[best->setting].is_default) return {};
  return best->setting;
}

experiment::index experiment::reference(contender who, std::uint64_t expected) {
  entrants_.push_back({std::move(who), expected, {}, {}, "reference", {}, {}});
  return entrants_.size() - 1;
}

experiment::index experiment::add(contender who, std::uint64_t expected, index against,
                                  std::optional<double> limit, std::string role) {
  entrants_.push_back({std::move(who), expected, against, limit, std::move(role), {}, {}});
  return entrants_.size() - 1;
}

void experiment::add_best_of(const round& whole, const std::vector<round>& trials, index against,
                             reporter& out) {
  // Some settings are a thousand times slower than others: each round is longer and takes only those that are
  // left.
  constexpr double hopeless = 4;
  std::vector<index> left(whole.settings.size());
  std::iota(left.begin(), left.end(), index{0});
  for (const round& trial : trials) {
    std::vector<std::pair<double, index>> times;
    for (const index i : left) {
      const auto& setting = trial.settings[i];
      out.progress(bench_, 0, 1, variant_ + ": trying " + setting.peer + ", " + setting.setting);
      try {
        const double first = measure_once(setting, trial.expected).wall;
        times.emplace_back(std::min(first, measure_once(setting, trial.expected).wall), i);
      } catch (const std::exception& e) {
        out.wrong(bench_, variant_, setting.peer + ", " + setting.setting, e.what());
      }
    }
    std::sort(times.begin(), times.end());
    left.clear();
    for (const auto& [time, i] : times) {
      if (time <= hopeless * times.front().first) left.push_back(i);
    }
  }
  for (const auto& setting : whole.settings) {
    if (setting.is_default) add(setting, whole.expected, against);
  }
  if (!left.empty() && !whole.settings[left.front()].is_default) {
    add(whole.settings[left.front()], whole.expected, against, {}, "tuned");
  }
}

std::optional<sample> experiment::measure(entrant& e, reporter& out) {
  if (e.failed) return {};
  try {
    e.samples.push_back(measure_once(e.who, e.expected, used_));
    return e.samples.back();
  } catch (const std::exception& error) {
    e.failed = true;
    out.wrong(bench_, variant_, e.who.peer + ", " + e.who.setting, error.what());
    return {};
  }
}

void experiment::run(int repeats, reporter& out, std::mt19937_64& random) {
  std::vector<index> order;
  for (index i = 0; i < entrants_.size(); ++i) {
    if (entrants_[i].against) order.push_back(i);
  }
  for (auto& e : entrants_) measure(e, out);  // what is only slow the first time does not count
  for (auto& e : entrants_) e.samples.clear();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    out.progress(bench_, repeat, repeats, variant_);
    std::shuffle(order.begin(), order.end(), random);
    for (const index i : order) {
      auto& e = entrants_[i];
      if (e.failed) continue;
      const auto before = measure(entrants_[*e.against], out);
      const auto own = measure(e, out);
      if (before && own) e.ratios.push_back(own->wall / before->wall);
    }
  }
  out.progress(bench_, repeats, repeats, variant_);
  for (const auto& e : entrants_) {
    if (!e.failed) print(e, out);
  }
}

void experiment::print(const entrant& e, reporter& out) const {
  std::vector<double> per_item;
  std::vector<double> used;
  for (const auto& s : e.samples) {
    per_item.push_back(s.wall / static_cast<double>(items_));
    used.push_back(s.processor / s.wall);
  }
  row r;
  r.bench = bench_;
  r.variant = variant_;
  r.peer = e.who.peer;
  r.setting = e.who.setting;
  r.role = e.role;
  r.samples = per_item;
  r.parallelism = used;
  r.items = items_;
  r.repeats = static_cast<int>(e.samples.size());
  if (e.against) {
    const auto& reference = entrants_[*e.against].who;
    r.against = reference.peer == e.who.peer ? reference.peer + ", " + reference.setting : reference.peer;
    r.ratios = e.ratios;
    if (e.limit) r.limit = bar{*e.limit, bar_on::ratio};
  }
  out.result(r);
  r.ratios.clear();
  r.limit = {};
  r.against.clear();
  for (const auto& m : more_) {
    std::vector<double> values;
    for (std::size_t i = 0; i < e.samples.size(); ++i) {
      constexpr double none = std::numeric_limits<double>::quiet_NaN();
      const double value = m.of(e.samples[i], i < e.ratios.size() ? e.ratios[i] : none);
      if (!std::isnan(value)) values.push_back(value);
    }
    if (values.empty()) continue;
    r.metric = m.name;
    r.unit = m.unit;
    r.samples = values;
    out.result(r);
  }
}

}  // namespace micro
