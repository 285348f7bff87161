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

void farm_memory::too_few(int replicas, std::uint64_t window, double load) {
  auto& r = of(window, load);
  r.least = std::max(r.least, replicas + 1);
  if (r.most < r.least) r.most = any;
  if (r.enough < r.least) r.enough = any;
}

void farm_memory::too_few_between(int to, int from, std::uint64_t window, double load) {
  too_few(std::max(to, (from + to - 1) / 2), window, load);
}

void farm_memory::more_is_useless(int replicas, std::uint64_t window, double load) {
  auto& r = of(window, load);
  r.most = std::max(std::min(r.most, replicas), r.least);
}

void farm_memory::more_may_help(std::uint64_t window, double load) {
  of(window, load).most = any;
}

void farm_memory::enough(int replicas, std::uint64_t window, double load) {
  auto& r = of(window, load);
  r.enough = std::max(std::min(r.enough, replicas), r.least);
}

int farm_memory::least(std::uint64_t window, double load) const {
  return at(window, load).least;
}

int farm_memory::most(std::uint64_t window, double load) const {
  return at(window, load).most;
}

bool farm_memory::was_enough(int replicas, std::uint64_t window, double load) const {
  return replicas >= at(window, load).enough;
}

}  // namespace THALWEG_NAMESPACE::adaptation
