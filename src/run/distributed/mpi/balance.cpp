#include "balance.hpp"

#include <algorithm>
#include <cmath>

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

using dataflow::place_of;

// A farm that is so much faster than the slowest serial stage holds nothing up, even if its items take
// different times.
constexpr double spare = 2;

// Seconds for which it keeps a worker busy.
double work_of(const stage_group& g) {
  return g.blocking ? 0 : g.load;
}

int replicas_of(const stage_group& g) {
  return g.farm && !g.at.empty() ? dataflow::replicas_in_all(g.at) : g.replicas;
}

int workers_of(const machine& on) {
  int all = 0;
  for (const auto& r : on.ranks) all += r.workers;
  return all;
}

// Seconds per item of the source below which nothing can come, however the stages are placed.
double best_pace(const std::vector<stage_group>& groups, const machine& on) {
  double slowest = 0, all = 0;
  for (const auto& g : groups) {
    all += work_of(g);
    if (!g.farm || g.replicas != automatic) slowest = std::max(slowest, g.load / std::max(1, g.replicas));
  }
  return std::max(slowest, all / workers_of(on));
}

class placing {
 public:
  placing(std::vector<stage_group>& groups, const machine& on)
      : groups_(groups), on_(on), order_(on.by_host()), pace_(best_pace(groups, on)) {
    used_.resize(on.ranks.size());
    std::rotate(order_.begin(), order_.begin() + 1, order_.end());  // rank 0 is the last that gets replicas
  }

  void place_all() {
    for (const auto& g : groups_) {
      if (!g.at.empty()) take(g);
    }
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      if (!groups_[k].farm && groups_[k].at.empty()) place_serial(k);
    }
    // A worker with some serial work has no time for a replica.
    for (auto& u : used_) u = std::ceil(u - 1e-9);
    for (const auto& g : groups_) {
      if (g.source || g.sink) used(g.at.front().rank) = std::max(1.0, used(g.at.front().rank));
    }
    give_workers();
    give_threads();
    for (auto* g : farms()) place_one_by_one(*g);
  }

 private:
  [[nodiscard]] double& used(int rank) { return used_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] double left(int rank) { return on_.workers(rank) - used(rank); }
  [[nodiscard]] double in_workers(double load) const { return pace_ > 0 ? load / pace_ : 0; }
  [[nodiscard]] std::vector<stage_group*> farms() {
    std::vector<stage_group*> all;
    for (auto& g : groups_) {
      if (g.farm && g.at.empty()) all.push_back(&g);
    }
    return all;
  }
  /// The rank with most workers left; of several, the first in the order of hosts.
  [[nodiscard]] int freest() {
    return *std::max_element(order_.begin(), order_.end(), [&](int a, int b) { return left(a) < left(b); });
  }

  void take(const stage_group& g) {
    if (g.blocking) return;
    for (const auto& p : g.at) used(p.rank) += g.farm ? p.replicas : in_workers(g.load);
  }

  // To rank 0 while there is time for it, else behind the stage before it, else where there is time.
  void place_serial(std::size_t k) {
    auto& g = groups_[k];
    const double more = in_workers(work_of(g));
    std::vector<int> choice{0};
    if (k > 0 && !groups_[k - 1].farm) choice.push_back(groups_[k - 1].at.front().rank);
    choice.insert(choice.end(), order_.begin(), order_.end());
    const auto fits =
        std::find_if(choice.begin(), choice.end(), [&](int r) { return left(r) + 1e-9 >= more; });
    g.at = {{g.stays ? 0 : fits == choice.end() ? freest() : *fits, 1}};
    take(g);
  }

  void give_workers() {
    double serial = 0;
    int workers = 0;
    for (const int r : order_) workers += static_cast<int>(std::max(0.0, left(r)));
    constexpr auto most = static_cast<int>(dataflow::most_partitions);
    std::vector<stage_group*> growing;
    for (const auto& g : groups_) {
      if (!g.farm) serial = std::max(serial, g.load);
    }
    for (auto* g : farms()) {
      if (g->blocking) continue;
      if (g->replicas == automatic) {
        g->replicas = 1;
        growing.push_back(g);
      }
      workers -= g->replicas;
    }
    const auto each = [](const stage_group* g) { return g->load / g->replicas; };
    for (; workers > 0; --workers) {
      std::erase_if(growing, [&](const stage_group* g) { return g->divided && g->replicas >= most; });
      if (growing.empty()) return;
      auto* const slowest = *std::max_element(growing.begin(), growing.end(),
                                              [&](auto* a, auto* b) { return each(a) < each(b); });
      if (each(slowest) * spare <= serial) return;
      ++slowest->replicas;
    }
  }

  // To farms that are blocking: their replicas take no worker from the others.
  void give_threads() {
    double slowest = 0;
    std::vector<stage_group*> open;
    for (auto& g : groups_) {
      const bool is_open = g.at.empty() && g.replicas == automatic;
      if (is_open) open.push_back(&g);
      if (!is_open) slowest = std::max(slowest, g.load / replicas_of(g));
    }
    for (auto* g : open) {
      const double needed = slowest > 0 ? std::ceil(g->load * spare / slowest) : g->load > 0 ? HUGE_VAL : 1;
      constexpr auto partitions = static_cast<int>(dataflow::most_partitions);
      const int most = g->divided ? std::min(partitions, workers_of(on_)) : workers_of(on_);
      g->replicas = static_cast<int>(std::clamp<double>(needed, 1, most));
    }
  }

  void place_one_by_one(stage_group& g) {
    const auto used_by_others = used_;
    if (g.blocking) std::fill(used_.begin(), used_.end(), 0);
    std::vector<int> of_rank(on_.ranks.size());
    for (int i = 0; i < g.replicas; ++i) {
      const int r = freest();
      ++of_rank[static_cast<std::size_t>(r)];
      used(r) += 1;
    }
    for (int r = 0; r < on_.size(); ++r) {
      if (const int n = of_rank[static_cast<std::size_t>(r)]; n > 0) g.at.push_back({r, n});
    }
    if (g.blocking) used_ = used_by_others;
  }

  std::vector<stage_group>& groups_;
  const machine& on_;
  std::vector<int> order_;
  const double pace_;
  std::vector<double> used_;  // workers, by rank
};

}  // namespace

std::vector<place_of> spread_replicas(int replicas, const std::vector<int>& ranks) {
  std::vector<place_of> all;
  const int n = std::min(replicas, static_cast<int>(ranks.size()));
  all.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    all.push_back({ranks[static_cast<std::size_t>(i)], replicas / n + (i < replicas % n ? 1 : 0)});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return all;
}

void balance(std::vector<stage_group>& groups, const machine& on) {
  placing(groups, on).place_all();
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
