/// A stream in virtual time, for tests of planners: what stages would do, worked out and not done.
#pragma once

#include <thalweg/adapt/planner.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tw = thalweg;

namespace plants {

namespace ad = tw::adaptation;

/// What a stage is like. Items flow through it as a fluid: the numbers of items need not be whole.
struct stage {
  std::string name = {};
  std::vector<std::size_t> inputs = {};   ///< stages before it
  double seconds = 1e-3;                  ///< for an item, with one replica
  double computing = 1;                   ///< part of that with a processor; the rest it waits
  double serial = 0, pairs = 0;           ///< α and β: how replicas disturb each other
  double skew = 0;                        ///< part of the items that only one of the replicas may take
  double yield = 1;                       ///< items out for an item in
  double share = 1;                       ///< part of what the stages before it give that it gets
  std::size_t capacity = 0;               ///< items that may wait in front of it; 0: any number
  int replicas = 1, least = 1, most = 1;  ///< a farm if `most` is above 1
  double busy_lie = 1, cpu_lie = 1;       ///< its clocks show that many times the true value
  double varies = 1;                      ///< squared variation of arrivals and times: what makes items wait
  std::function<double(double)> cost = {};  ///< factor of `seconds` at that second of the run
};

struct plan {
  std::vector<stage> stages;               ///< sources first; those without inputs are sources
  std::function<double(double)> due = {};  ///< items a second at that second, of each source; none: no pace
  int cores = 4;
  double window = 0.1;     ///< seconds
  int ticks = 8;           ///< steps that a window is worked out in
  double noise = 0;        ///< spread of times per item, from window to window
  int delay = 0;           ///< windows until a change works
  bool latencies = false;  ///< it has a histogram of latencies
  std::uint64_t seed = 1;
  ad::goal goal = {};
  ad::bounds bounds = {};
};

/// α and β as in the universal scalability law: the work of how many replicas p of them do.
inline double work_of(const stage& s, double p) {
  return p / (1 + s.serial * (p - 1) + s.pairs * p * (p - 1));
}

/// The fewest that have to be at work for it (a number up to n, which can do it).
inline double busy_with(const stage& s, double work, double n) {
  if (work <= 1) return work;
  const auto a = work * s.pairs, b = work * (s.serial - s.pairs) - 1, c = work * (1 - s.serial);
  const auto d = b * b - 4 * a * c;
  if (a <= 0) return b < 0 ? std::min(n, -c / b) : n;
  return d < 0 || b >= 0 ? n : std::min(n, 2 * c / (-b + std::sqrt(d)));
}

/// A run of such a stream, window by window. The same plan and the same changes give the same windows.
class plant {
 public:
  explicit plant(plan p) : plan_(std::move(p)), random_(plan_.seed), live_(plan_.stages.size()) {
    window_.cores = window_.workers = plan_.cores;
    window_.length = std::chrono::nanoseconds(std::llround(plan_.window * 1e9));
    window_.latency_from_due = static_cast<bool>(plan_.due);
    window_.goal = plan_.goal;
    window_.bounds = plan_.bounds;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      const auto& s = plan_.stages[i];
      live_[i].working = s.replicas;
      ad::stage_window w;
      w.name = s.name.empty() ? "s" + std::to_string(i) : s.name;
      w.inputs = s.inputs;
      w.source = s.inputs.empty();
      w.replicas = s.replicas;
      // As a run does: what a planner may ask for is within the bounds.
      w.most = s.most > 1 ? std::min(s.most, plan_.bounds.most_replicas) : s.most;
      w.least = s.most > 1 ? std::min(std::max(s.least, plan_.bounds.least_replicas), w.most) : s.least;
      w.capacity = s.capacity;
      window_.stages.push_back(w);
      for (const auto j : s.inputs) live_[j].next.push_back(i);
    }
    for (std::size_t i = 0; i < live_.size(); ++i) window_.stages[i].sink = live_[i].next.empty();
  }

  /// The next window. It stays valid until the one after it.
  const ad::window& next() {
    ++window_.number;
    window_.changed = std::exchange(changed_, false);
    window_.at += window_.length;
    if (plan_.latencies) window_.latency.clear();
    begin_window();
    for (int i = 0; i < plan_.ticks; ++i) tick(plan_.window / plan_.ticks);
    end_window();
    return window_;
  }

  /// Makes changes, as a run does: what is beyond the bounds counts as the bound. How many numbers changed.
  int take(const ad::changes& wanted) {
    int made = 0;
    for (const auto& [name, n] : wanted.replicas) {
      for (std::size_t i = 0; i < live_.size(); ++i) {
        auto& w = window_.stages[i];
        if (w.name != name) continue;
        const auto to = std::clamp(n, w.least, w.most);
        if (to == w.replicas) continue;
        w.replicas = to;
        live_[i].coming.emplace_back(window_.number + static_cast<std::uint64_t>(plan_.delay), to);
        changed_ = true;
        ++made;
      }
    }
    return made;
  }

  [[nodiscard]] double seconds() const { return now_; }
  [[nodiscard]] int replicas(std::size_t i) const { return window_.stages[i].replicas; }
  /// Of the latest window: replicas inside their operators, on average, all stages together.
  [[nodiscard]] double at_work() const { return at_work_; }
  /// Of the latest window: items a second that entered sinks, exactly; and that sources gave.
  [[nodiscard]] double done() const { return done_; }
  [[nodiscard]] double given() const { return given_; }
  /// Items that are due and not given yet.
  [[nodiscard]] double late() const { return late_; }

 private:
  struct live {
    std::vector<std::size_t> next;
    std::vector<std::pair<std::uint64_t, int>> coming;  // replicas, after that window
    int working = 1;
    double queue = 0, noise = 1;
    double cost = 0, able = 0, seconds = 0, limit = 0, accepts = 0, work = 0, delay = 0,
           wait = 0;                                            // in a tick
    double in = 0, busy = 0, cpu = 0, blocked = 0, queued = 0;  // in a window
    double in_rest = 0, out_rest = 0;                           // parts of items that were not counted yet
  };

  void begin_window() {
    given_ = at_work_ = done_ = 0;
    for (auto& l : live_) {
      for (const auto& [from, n] : l.coming)
        if (from < window_.number) l.working = n;
      std::erase_if(l.coming, [&](const auto& c) { return c.first < window_.number; });
      l.in = l.busy = l.cpu = l.blocked = l.queued = 0;
      l.noise =
          plan_.noise > 0 ? std::exp(plan_.noise * normal_(random_) - plan_.noise * plan_.noise / 2) : 1;
    }
  }

  // Processors are shared: what computes takes longer, the more there is of it.
  void tick(double dt) {
    const auto rate = plan_.due ? std::max(plan_.due(now_), 0.0) : 0;
    begin_tick();
    auto over = flow(dt, rate) / (dt * plan_.cores);
    for (int round = 0; round < 3 && (over > 1 || slow_ < 1); ++round) {
      slow_ = std::min(1.0, over > 1 ? slow_ / over : slow_ / std::sqrt(over));
      over = flow(dt, rate) / (dt * plan_.cores);
    }
    settle(dt, rate);
    now_ += dt;
  }

  // What does not depend on how the processors are shared.
  void begin_tick() {
    for (std::size_t i = 0; i < live_.size(); ++i) {
      auto& l = live_[i];
      const auto& s = plan_.stages[i];
      l.cost = s.seconds * l.noise * (s.cost ? s.cost(now_) : 1);
      const auto one = s.skew * l.working > 1 ? 1 / s.skew : static_cast<double>(l.working);
      l.able = std::min(work_of(s, l.working), one);
    }
  }

  // Works out how many items each stage does in this tick: backwards what there is room for, then forwards.
  double flow(double dt, double rate) {
    for (std::size_t i = live_.size(); i-- > 0;) {
      auto& l = live_[i];
      const auto& s = plan_.stages[i];
      l.seconds = l.cost * (1 - s.computing + s.computing / slow_);
      l.limit = l.able / l.seconds * dt;
      l.accepts = l.limit;
      for (const auto k : l.next) {
        const auto& to = live_[k];
        const auto& t = plan_.stages[k];
        if (t.capacity == 0) continue;
        const auto room = std::max(0.0, static_cast<double>(t.capacity) - to.queue) + to.accepts;
        l.accepts = std::min(l.accepts, room / static_cast<double>(t.inputs.size()) / (s.yield * t.share));
      }
    }
    double used = 0;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      auto& l = live_[i];
      const auto& s = plan_.stages[i];
      double there = plan_.due ? late_ + rate * dt : 1e300;
      if (!s.inputs.empty()) there = l.queue + arriving(i);
      l.work = std::min(there, l.accepts);
      used += l.work * l.cost * s.computing;
    }
    return used;
  }

  [[nodiscard]] double arriving(std::size_t i) const {
    double sum = 0;
    for (const auto j : plan_.stages[i].inputs)
      sum += live_[j].work * plan_.stages[j].yield * plan_.stages[i].share;
    return sum;
  }

  void settle(double dt, double rate) {
    double given = 0, sources = 0;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      auto& l = live_[i];
      const auto& s = plan_.stages[i];
      const auto working = static_cast<double>(l.working);
      auto p = busy_with(s, l.work / dt * l.seconds, working);
      if (l.work >= l.limit * (1 - 1e-9)) p = s.skew * working > 1 ? 1 / s.skew : working;
      if (s.inputs.empty()) {
        given += l.work;
        ++sources;
      } else {
        l.queue = std::max(0.0, l.queue + arriving(i) - l.work);
      }
      l.in += l.work;
      if (l.next.empty()) done_ += l.work / plan_.window;
      l.busy += p * dt;
      l.cpu += l.work * l.cost * s.computing;
      l.queued += l.queue / plan_.ticks;
      if (l.accepts < l.limit && l.work >= l.accepts * (1 - 1e-9)) l.blocked += (working - p) * dt;
      if (plan_.latencies) delay(i, p / working, dt);
    }
    given_ += given / plan_.window;
    if (plan_.due) late_ = std::max(0.0, late_ + rate * dt - given / std::max(sources, 1.0));
  }

  // How long items that leave it now were under way: in queues that show as such, and (by Sakasegawa's
  // formula) in those that come and go because times vary.
  void delay(std::size_t i, double loaded, double dt) {
    auto& l = live_[i];
    const auto& s = plan_.stages[i];
    const auto n = static_cast<double>(l.working);
    const auto u = std::clamp(loaded, 0.0, 0.99);
    l.delay = l.wait = 0;
    for (const auto j : s.inputs) {
      l.delay = std::max(l.delay, live_[j].delay);
      l.wait = std::max(l.wait, live_[j].wait);
    }
    if (l.work <= 0) return;
    const auto before = s.inputs.empty() ? late_ : l.queue;
    l.delay += before * dt / l.work + std::max(l.seconds, n * loaded * dt / l.work);
    if (u < 0.99) l.wait += s.varies * l.seconds * std::pow(u, std::sqrt(2 * (n + 1)) - 1) / (n * (1 - u));
    if (!l.next.empty()) return;
    constexpr int parts = 50;
    for (int k = 0; k < parts; ++k) {
      const auto wait = -std::log(1 - (k + 0.5) / parts) * l.wait;
      window_.latency.record(std::llround((l.delay + wait) * 1e9),
                             static_cast<std::uint64_t>(std::ceil(l.work / parts)));
    }
  }

  void end_window() {
    const auto whole = [](double& rest, double more) {
      rest += more;
      const auto n = std::floor(rest + 1e-6);
      rest -= n;
      return static_cast<std::uint64_t>(n);
    };
    const auto time = [](double seconds) { return std::chrono::nanoseconds(std::llround(seconds * 1e9)); };
    double cpu = 0;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      auto& l = live_[i];
      auto& w = window_.stages[i];
      const auto& s = plan_.stages[i];
      const auto in = whole(l.in_rest, l.in);
      const auto out = whole(l.out_rest, l.in * s.yield);
      w.items_in = w.source ? 0 : in;
      w.items_out = w.sink ? 0 : out;
      w.runs = in;
      w.busy = time(l.busy * s.busy_lie);
      w.cpu = time(std::min(l.cpu, l.busy) * s.cpu_lie);
      w.waited_out = time(l.blocked);
      w.queued = l.queued;
      if (w.source && plan_.due) w.due_rate = plan_.due(now_ - 1e-9);
      cpu += l.cpu;
      at_work_ += l.busy / plan_.window;
    }
    window_.cpu = time(cpu);
  }

  plan plan_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::vector<live> live_;
  ad::window window_;
  bool changed_ = false;
  double now_ = 0, slow_ = 1;  // the part of its speed that a processor has for each of those that share it
  double late_ = 0, given_ = 0, done_ = 0, at_work_ = 0;
};

}  // namespace plants
