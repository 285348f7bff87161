// The default planner on 10 000 random streams: whether it comes to rest, and whether it is about as cheap
// there as the cheapest of all fixed numbers of replicas, each of which is tried. SEED=n shows one of them,
// PLANTS=n takes fewer, FROM=n others, and ALL=1 shows what those did that fall short.
#include <thalweg/adapt/adapt.hpp>

#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "adapt/plant.hpp"

namespace {

namespace ad = tw::adaptation;
using plants::plan;
using plants::plant;

constexpr int windows = 540, last = 300;  // the last ones are watched
constexpr double changes_until = 8;       // seconds: the load and the costs change in the first third alone

struct random_plan {
  plan of;
  bool paced = true, lies = false, skewed = false, slow_stage = false, waits = false, locked = false;
};

class dice {
 public:
  explicit dice(std::uint64_t seed) : random_(seed) {}
  double between(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  double log_between(double a, double b) { return std::exp(between(std::log(a), std::log(b))); }
  int whole(int a, int b) { return std::uniform_int_distribution<int>(a, b)(random_); }
  bool chance(double p) { return between(0, 1) < p; }

 private:
  std::mt19937_64 random_;
};

// Factors of a load or a cost, from second to second; 1 in the end.
std::function<double(double)> steps(dice& d, double least, double most) {
  std::vector<double> f;
  for (int i = 0; i < 4; ++i) f.push_back(d.log_between(least, most));
  return
      [f](double t) { return t >= changes_until ? 1.0 : f[static_cast<std::size_t>(t / changes_until * 4)]; };
}

random_plan make(std::uint64_t seed) {
  dice d(seed);
  random_plan r;
  auto& p = r.of;
  p.seed = seed;
  p.ticks = 4;
  p.cores = 1 << d.whole(0, 4);
  p.noise = d.chance(0.3) ? 0 : d.between(0, 0.15);
  p.delay = d.chance(0.7) ? 0 : d.whole(1, 2);
  const auto rate = d.log_between(80, 20'000);
  r.paced = d.chance(0.85);
  const bool split = d.chance(0.1);
  const int farms = split ? 2 : d.chance(0.65) ? 1 : d.chance(0.75) ? 2 : 3;
  const int most = farms == 1 ? d.whole(4, 32) : farms == 2 ? d.whole(3, 10) : d.whole(2, 5);
  p.stages.push_back({.name = "source", .seconds = r.paced ? 1e-3 / rate : d.between(0.1, 1) / rate});
  // What waits fits in a window or two: fixed numbers are watched for a short time alone.
  const auto capacity = r.paced && d.chance(0.3)
                            ? std::size_t{0}
                            : static_cast<std::size_t>(d.between(4, std::max(16.0, 0.05 * rate)));
  if (d.chance(0.2)) {
    r.slow_stage = true;
    p.stages.push_back({.name = "slow", .inputs = {0}, .seconds = 1 / (rate * d.between(0.3, 1.1))});
    p.stages.back().capacity = capacity;
  }
  const auto first = p.stages.size() - 1;
  for (int i = 0; i < farms; ++i) {
    plants::stage f;
    f.name = "farm" + std::to_string(i);
    f.inputs = {split ? first : p.stages.size() - 1};
    f.share = split ? 0.5 : 1;
    f.most = most;
    f.replicas = d.whole(1, std::max(1, most / 2));
    f.seconds = d.log_between(0.2, most * 0.9) / rate / f.share;
    f.computing = d.chance(0.5) ? d.between(0.9, 1) : d.between(0.02, 0.5);
    r.waits |= f.computing < 0.6;
    if (d.chance(0.1)) {
      f.serial = 1;
      r.locked = true;
    } else if (d.chance(0.5)) {
      f.serial = d.between(0, 0.4);
      if (d.chance(0.4)) f.pairs = d.between(0, 0.02);
    }
    if (d.chance(0.1)) {
      f.skew = d.between(0.1, 0.7);
      r.skewed = true;
    }
    f.capacity = capacity;
    if (d.chance(0.3)) f.cost = steps(d, 0.5, 2);
    p.stages.push_back(f);
  }
  auto& sink = p.stages.emplace_back();
  sink.name = "sink";
  for (std::size_t i = split ? first + 1 : p.stages.size() - 2; i + 1 < p.stages.size(); ++i)
    sink.inputs.push_back(i);
  sink.seconds = 1 / (rate * (d.chance(0.15) ? d.between(0.3, 1.1) : 100));
  sink.capacity = capacity;
  r.slow_stage |= sink.seconds * rate > 0.5;
  if (d.chance(0.25)) {
    r.lies = true;
    for (auto& s : p.stages) {
      s.busy_lie = d.log_between(0.5, 2);
      s.cpu_lie = d.log_between(0.5, 2);
    }
  }
  if (r.paced) {
    const auto shape = steps(d, 0.2, 2);
    p.due = [=](double t) { return rate * shape(t); };
  }
  return r;
}

// Processors for what is done, and five for each one's worth of work that is not done.
struct price {
  double at_work = 0, rate = 0;
  int held = 0;
};

double cost_of(const price& x, double asked, double seconds) {
  const auto late = std::max(0.0, asked - x.rate);
  return x.at_work * (x.rate > asked && asked > 0 ? asked / x.rate : 1) + 5 * late * seconds;
}

std::vector<price> all_static(plan p) {
  std::vector<std::size_t> farms;
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    p.stages[i].cost = {};
    p.stages[i].replicas = 1;
    if (p.stages[i].most > 1) farms.push_back(i);
  }
  p.noise = 0;
  if (p.due) p.due = [rate = p.due(1e9)](double) { return rate; };
  std::vector<price> prices;
  for (bool more = true; more;) {
    plant stream(p);
    price x;
    for (int k = 0; k < 6; ++k) stream.next();
    for (int k = 0; k < 2; ++k) {
      stream.next();
      x.rate += stream.done() / 2;
      x.at_work += stream.at_work() / 2;
    }
    for (const auto i : farms) x.held += p.stages[i].replicas;
    prices.push_back(x);
    more = false;
    for (const auto i : farms) {
      if (++p.stages[i].replicas <= p.stages[i].most) {
        more = true;
        break;
      }
      p.stages[i].replicas = 1;
    }
  }
  return prices;
}

struct end {
  price of;
  int changes = 0, late_changes = 0;
  std::string history;
};

end run(const plan& p, bool show) {
  plant stream(p);
  const auto decide = ad::planner("thalweg").begin();
  end e;
  for (int k = 0; k < windows; ++k) {
    const auto& w = stream.next();
    if (k >= windows - last) {
      e.of.rate += stream.done() / last;
      e.of.at_work += stream.at_work() / last;
    }
    const auto wanted = decide(w);
    if (show) {
      std::cout << w.number << " " << w.throughput() << (w.stages[0].due_rate ? *w.stages[0].due_rate : -1.0);
      for (std::size_t i = 0; i < p.stages.size(); ++i)
        std::cout << " | " << w.stages[i].items() << " q" << w.stages[i].queued << " u"
                  << std::chrono::duration<double>(w.stages[i].busy).count() / p.window / w.stages[i].replicas
                  << " n" << stream.replicas(i);
      std::cout << " " << wanted.reason << "\n";
    }
    if (!wanted.none()) {
      e.history += "  " + std::to_string(w.number) + ":";
      for (const auto& r : wanted.replicas)
        e.history += " " + r.stage + " " + std::to_string(w.find(r.stage)->replicas) + ">" +
                     std::to_string(r.replicas);
      e.history += " thr " + std::to_string(int(w.throughput())) + "  " + wanted.reason + "\n";
    }
    const auto made = stream.take(wanted);
    e.changes += made > 0;
    if (k >= windows - last) e.late_changes += made > 0;
  }
  for (std::size_t i = 0; i < p.stages.size(); ++i)
    if (p.stages[i].most > 1) e.of.held += stream.replicas(i);
  return e;
}

TEST(RandomPlants, TheDefaultPlannerComesToRestWhereItIsCheap) {
  const auto* one = std::getenv("SEED");
  const auto* number = std::getenv("PLANTS");
  const auto* from = std::getenv("FROM");
  const int first = from ? std::atoi(from) : 1;
  const int n = number ? std::atoi(number) : 10'000;
  std::map<std::string, std::array<int, 4>> classes;
  double worst = 0, sum = 0;
  int shown = 0;
  for (int i = one ? std::atoi(one) : first; i < (one ? std::atoi(one) + 1 : first + n); ++i) {
    const auto r = make(static_cast<std::uint64_t>(i));
    const auto& p = r.of;
    const auto all = all_static(p);
    double asked = p.due ? p.due(1e9) : 0;
    if (!p.due)
      for (const auto& x : all) asked = std::max(asked, x.rate);
    double seconds = 0;
    for (const auto& s : p.stages) seconds += s.seconds * s.share;
    auto best = all.front();
    for (const auto& x : all)
      if (cost_of(x, asked, seconds) < cost_of(best, asked, seconds) * (x.held < best.held ? 1.005 : 0.995))
        best = x;
    const auto e = run(p, one != nullptr);
    const auto ratio = cost_of(e.of, asked, seconds) / cost_of(best, asked, seconds);
    sum += ratio;
    worst = std::max(worst, ratio);
    const bool moves = e.late_changes > 1, expensive = ratio > 1.15, large = e.of.held > best.held * 1.15 + 1;
    std::vector<std::string> in{"all"};
    if (r.lies) in.push_back("lies");
    if (r.skewed) in.push_back("skewed");
    if (r.slow_stage) in.push_back("slow stage");
    if (r.waits) in.push_back("waits");
    if (r.locked) in.push_back("locked");
    if (!r.paced) in.push_back("unpaced");
    if (p.noise > 0.1) in.push_back("noisy");
    if (!r.lies && !r.skewed && !r.locked && r.paced && !r.slow_stage) in.push_back("plain");
    for (const auto& c : in) {
      ++classes[c][0];
      classes[c][1] += moves;
      classes[c][2] += expensive;
      classes[c][3] += large;
    }
    if ((moves || expensive || one) && (shown++ < 40 || std::getenv("ALL"))) {
      std::cout << "seed " << i << (moves ? " moves" : "") << (expensive ? " expensive" : "") << " ratio "
                << ratio << " held " << e.of.held << "/" << best.held << " rate " << e.of.rate << "/"
                << best.rate << "/" << asked << " work " << e.of.at_work << "/" << best.at_work << " changes "
                << e.changes << "/" << e.late_changes;
      for (const auto& c : in) std::cout << " " << c;
      std::cout << "\n";
      if (std::getenv("ALL")) std::cout << e.history;
    }
  }
  std::cout << "mean " << sum / n << " worst " << worst << "\n";
  for (const auto& [c, x] : classes)
    std::cout << c << ": " << x[0] << ", moves " << x[1] << ", expensive " << x[2] << ", large " << x[3]
              << "\n";
  if (one != nullptr) return;
  // The goal is none of either. These are the parts that fall short of it now: no more may.
  const auto& of = classes["all"];
  EXPECT_LE(of[1], 0.015 * of[0]) << "change more than once in the last 30 s";
  EXPECT_LE(of[2], 0.05 * of[0]) << "cost more than 1.15 times what the cheapest fixed number does";
  EXPECT_LE(sum / n, 1.05);
}

}  // namespace
