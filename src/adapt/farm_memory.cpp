#include "farm_memory.hpp"

#include <algorithm>
#include <cmath>

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// Windows after which something may be different though nothing shows it, and loads that are remembered.
constexpr std::uint64_t long_ago = 3000;
constexpr std::size_t most_loads = 16;

bool alike(double a, double b) {
  return a > 0 && b > 0 && std::abs(std::log(a / b)) < 0.25;
}

}  // namespace

farm_memory::range farm_memory::at(std::uint64_t window, double load) const {
  range best{load, window};
  double nearest = 1e9;
  for (const auto& r : known_) {
    if (!alike(r.load, load) || window - r.since > long_ago) continue;
    const auto off = std::abs(std::log(r.load / load));
    if (off < nearest) best = r;
    nearest = std::min(nearest, off);
  }
  return best;
}

farm_memory::range& farm_memory::of(std::uint64_t window, double load) {
  const auto now = at(window, load);
  std::erase_if(known_, [&](const range& r) { return r.load == now.load || window - r.since > long_ago; });
  if (known_.size() >= most_loads) known_.pop_back();
  auto& r = *known_.insert(known_.begin(), now);
  r.since = window;
  return r;
}

bool farm_memory::mark::holds(std::uint64_t window) const {
  return since > 0 && window - since <= long_ago;
}

void farm_memory::too_few(int replicas, std::uint64_t window, double load) {
  auto& r = of(window, load);
  const auto now = r.least.holds(window) ? r.least.replicas : 1;
  r.least = {std::max(now, replicas + 1), window};
  if (r.most.replicas < r.least.replicas) r.most = {any};
  if (r.enough.replicas < r.least.replicas) r.enough = {any};
}

void farm_memory::too_few_between(int to, int from, std::uint64_t window, double load) {
  too_few(std::max(to, (from + to - 1) / 2), window, load);
}

void farm_memory::more_is_useless(int replicas, std::uint64_t window, double load) {
  auto& r = of(window, load);
  const auto now = r.most.holds(window) ? r.most.replicas : any;
  r.most = {std::min(now, replicas), window};
  if (r.least.replicas > r.most.replicas) r.least = {1};
}

void farm_memory::more_may_help(std::uint64_t window, double load) {
  of(window, load).most = {any};
}

void farm_memory::enough(int replicas, std::uint64_t window, double load) {
  auto& r = of(window, load);
  const auto now = r.enough.holds(window) ? r.enough.replicas : any;
  r.enough = {std::min(now, replicas), window};
}

int farm_memory::least(std::uint64_t window, double load) const {
  const auto r = at(window, load);
  return r.least.holds(window) ? r.least.replicas : 1;
}

int farm_memory::most(std::uint64_t window, double load) const {
  const auto r = at(window, load);
  return r.most.holds(window) ? r.most.replicas : any;
}

bool farm_memory::was_enough(int replicas, std::uint64_t window, double load) const {
  const auto r = at(window, load);
  return r.enough.holds(window) && replicas >= r.enough.replicas;
}

}  // namespace THALWEG_NAMESPACE::adaptation
