#include "scaling_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace THALWEG_NAMESPACE::adaptation {

namespace {

// In logarithms of times: a look that is so far off is a new state if the next one is, too, or by itself.
constexpr double far = 0.25, much_longer = 0.4;
constexpr int most_looks = 25;  // that count for what is known: older ones are forgotten

constexpr std::size_t most_seen = 6;

// What is expected of α and β before anything is seen: two numbers that lie close together say little.
constexpr double usual_serial = 0.3, usual_pairs = 0.05;

// How well the mean of this many looks is known, as a part of it.
double spread(int times) noexcept {
  return 0.02 + 0.1 / std::sqrt(std::clamp<double>(times, 0.1, 10));
}

// Solves the equations of three unknowns, of which those outside `use` are 0; false: no solution.
bool solve(std::array<std::array<double, 4>, 3> m, const std::array<bool, 3>& use, std::array<double, 3>& x) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (use[i]) continue;
    for (std::size_t j = 0; j < 3; ++j) m[i][j] = m[j][i] = 0;
    m[i][i] = 1;
    m[i][3] = 0;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (m[i][i] <= 1e-12) return false;
    for (std::size_t k = i + 1; k < 3; ++k) {
      const auto f = m[k][i] / m[i][i];
      for (std::size_t j = i; j < 4; ++j) m[k][j] -= f * m[i][j];
    }
  }
  for (std::size_t i = 3; i-- > 0;) {
    x[i] = m[i][3];
    for (std::size_t j = i + 1; j < 3; ++j) x[i] -= m[i][j] * x[j];
    x[i] /= m[i][i];
  }
  return true;
}

}  // namespace

double scaling_law::capacity(double p) const noexcept {
  return p / (1 + serial_ * (p - 1) + pairs_ * p * (p - 1));
}

double scaling_law::at_work(double work) const noexcept {
  if (work <= 1) return std::max(work, 0.0);
  // work (1 + α(p−1) + βp(p−1)) = p
  const auto a = work * pairs_;
  const auto b = work * (serial_ - pairs_) - 1;
  const auto c = work * (1 - serial_);
  if (a <= 0) return b < 0 ? -c / b : std::numeric_limits<double>::infinity();
  const auto d = b * b - 4 * a * c;
  if (d < 0 || b >= 0) return std::numeric_limits<double>::infinity();
  return 2 * c / (-b + std::sqrt(d));
}

int scaling_law::worth(int most, double least_gain) const noexcept {
  int n = 1;
  if (serial_ <= 0 && pairs_ <= 0) return std::max(most, 1);
  while (n < most && capacity(n + 1) - capacity(n) >= least_gain) ++n;
  return n;
}

// The mean of the looks at one state, so that noise is averaged out. Looks that are far off show another
// state if the next one is, too; a small change shows by looks that stay on one side.
void scaling_law::follow(double ratio, bool whole) noexcept {
  const auto off = std::log(ratio);
  const bool same_kind = std::exchange(whole_, whole) == whole;
  const auto step = std::min(std::abs(off - last_), 1.0);
  variance_ += 0.05 * (step * step / 2 - variance_);
  const auto spread = std::sqrt(variance_);
  const auto limit = std::max(far, 3 * spread);
  if (std::abs(off) < limit)
    off_ = 0;
  else
    off_ = off > 0 ? std::max(off_, 0) + 1 : std::min(off_, 0) - 1;
  bias_ += 0.2 * (off - bias_);
  if (std::abs(bias_) > std::max(spread, 0.03)) looks_ = std::min(looks_, 5);
  const bool now = std::abs(off_) >= 2 || off > std::max(much_longer, 5 * spread);
  jumped_ = now && same_kind;
  if (now) looks_ = 0;
  looks_ = std::min(looks_ + 1, most_looks);
  const auto by = 1 + (ratio - 1) / looks_;
  rest_ = ratio / by;
  last_ = off - std::log(by);
  bias_ -= std::log(by);
  scale(by);
  // Items that differ by that much may disturb each other differently.
  if (std::abs(off_) == 2)
    for (auto& s : seen_) s.times = 1;
}

// The next look is the second one at a state.
void scaling_law::begin() noexcept {
  off_ = 0;
  looks_ = 1;
  last_ = bias_ = 0;
  jumped_ = false;
}

void scaling_law::scale(double by) noexcept {
  alone_ *= by;
  for (auto& s : seen_) s.seconds *= by;
}

void scaling_law::saw(int replicas, double seconds) {
  if (seconds <= 0) return;
  if (!seen_.empty() && seen_.front().replicas == replicas) {
    auto& now = seen_.front();
    now.times = std::min(now.times + 1, 1000);
    follow(seconds / now.seconds, true);
  } else {
    // What others showed since it was seen is later than what it showed, so they stay as they are.
    std::erase_if(seen_, [=](const sight& x) { return x.replicas == replicas; });
    seen_.insert(seen_.begin(), {replicas, seconds, 1});
    if (seen_.size() > most_seen) seen_.pop_back();
    begin();
  }
  fit();
}

void scaling_law::saw_part(double at_work, double seconds) {
  if (seconds <= 0) return;
  if (!known()) {
    alone_ = seconds;
    return begin();
  }
  const auto p = std::max(at_work, 1.0);
  follow(seconds / (alone_ * p / capacity(p)), false);
}

void scaling_law::keep(int replicas) {
  if (off_ != 0) scale(rest_);  // there is no second look to wait for
  off_ = 0;
  if (known() && (seen_.empty() || seen_.front().replicas != replicas))
    saw(replicas, alone_ * replicas / capacity(replicas));
}

bool scaling_law::knows_fewer_than(int replicas) const noexcept {
  return std::ranges::any_of(seen_, [=](const sight& s) { return s.replicas < replicas; });
}

void scaling_law::forget_above(int replicas) {
  std::erase_if(seen_, [&](const sight& s) { return s.replicas > replicas; });
  if (!seen_.empty()) return fit();
  serial_ = pairs_ = 0;
}

void scaling_law::fit() noexcept {
  // In units of the first look, so that the expectations have the same weight for short items and for long.
  const auto unit = seen_.front().seconds;
  std::array<std::array<double, 4>, 3> m{};
  double fresh = 1;
  for (const auto& s : seen_) {
    const auto n = static_cast<double>(s.replicas);
    const auto y = s.seconds / unit;
    const std::array<double, 3> row{1, n - 1, n * (n - 1)};
    const auto weight = fresh / std::pow(y * spread(s.times), 2);
    fresh *= 0.5;  // with each number that was seen later
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) m[i][j] += weight * row[i] * row[j];
      m[i][3] += weight * row[i] * y;
    }
  }
  m[1][1] += std::pow(usual_serial, -2);
  m[2][2] += std::pow(usual_pairs, -2);
  // The best one without a negative part: of all that are left out, the first that has none is near enough.
  constexpr std::array<std::array<bool, 3>, 4> choices{
      {{true, true, true}, {true, true, false}, {true, false, true}, {true, false, false}}};
  for (const auto& use : choices) {
    std::array<double, 3> x{};
    if (!solve(m, use, x) || x[0] <= 0 || x[1] < 0 || x[2] < 0) continue;
    alone_ = x[0] * unit;
    serial_ = std::min(x[1] / x[0], 1.0);
    pairs_ = x[2] / x[0];
    return;
  }
}

}  // namespace THALWEG_NAMESPACE::adaptation
