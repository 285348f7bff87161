#include "farm_memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// Windows that something holds which was found out once, and twice: doubled with each further time.
constexpr std::uint64_t once = 40, twice = 3000;

bool alike(double a, double b) {
  return a > 0 && b > 0 && std::abs(std::log(a / b)) < 0.25;
}

}  // namespace

void farm_memory::mark::set(int at, std::uint64_t window, double load) {
  times = alike(load, asked) ? std::min(times + 1, 8) : 1;
  replicas = at;
  since = window;
  asked = load;
}

bool farm_memory::mark::holds(std::uint64_t window, double load) const {
  if (times == 0 || !alike(load, asked)) return false;
  return window - since <= (times == 1 ? once : twice << (times - 2));
}

void farm_memory::grew_for_nothing(int from, std::uint64_t window, double asked) {
  ceiling_.set(from, window, asked);
}

void farm_memory::too_small(int least, std::uint64_t window, double asked) {
  mistakes_ = std::min(mistakes_ + 1, 6);
  floor_.set(least, window, asked);
}

void farm_memory::shrank(int from, double asked) {
  shrank_from_ = from;
  shrank_asked_ = asked;
}

void farm_memory::grows(int to, std::uint64_t window, double asked) {
  if (shrank_from_ > 0 && to <= shrank_from_ && alike(asked, shrank_asked_)) too_small(to, window, asked);
  shrank_from_ = 0;
}

int farm_memory::most(std::uint64_t window, double asked) const {
  return ceiling_.holds(window, asked) ? ceiling_.replicas : std::numeric_limits<int>::max();
}

int farm_memory::least(std::uint64_t window, double asked) const {
  return floor_.holds(window, asked) ? floor_.replicas : 1;
}

int farm_memory::patience(bool by_far) const {
  return (by_far ? 3 : 10) << mistakes_;
}

}  // namespace THALWEG_NAMESPACE::adaptation
