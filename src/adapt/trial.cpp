#include "trial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace THALWEG_NAMESPACE::adaptation {

namespace {

constexpr double enough = 0.2, most_lost = 0.08;
// New replicas may take this many windows to begin, and those that go to end.
constexpr int to_begin = 2;
constexpr int shortest = 2, longest = 30;
// What lies further back may be of another load that nobody has noticed.
constexpr int longest_average = 12;

}  // namespace

void steady_rate::add(double rate, double seconds) noexcept {
  items_ = mean_ * seconds;
  windows_ = std::min(windows_ + 1, longest_average);
  if (windows_ == 1) mean_ = rate;
  // Another state, though nobody said so: items became longer.
  if (windows_ > 1 && std::abs(rate - mean_) > std::max(4 * spread(), 0.2) * mean_) {
    windows_ = 1;
    mean_ = rate;
  }
  const auto off = mean_ > 0 ? (rate - mean_) / mean_ : 0.0;
  mean_ += (rate - mean_) / windows_;
  if (windows_ == 1) return;
  // The mean moves with what it is compared to.
  const auto own = off * off * (windows_ - 1) / windows_;
  squares_ += 0.05 * (std::min(own, 1.0) - squares_);
}

double steady_rate::spread() const noexcept {
  // An item more or less in a window is noise, too.
  return std::sqrt(squares_ + (items_ > 1 ? 0.25 / (items_ * items_) : 0.25));
}

int trial::windows_for(int from, int to, const steady_rate& rate) noexcept {
  return windows_for(static_cast<double>(to - from) / from, rate);
}

int trial::windows_for(double expected, const steady_rate& rate) noexcept {
  const auto noise = rate.spread() / std::max(std::abs(expected), 0.02);
  return std::clamp(static_cast<int>(std::ceil(40 * noise * noise)), shortest, longest);
}

trial::trial(std::vector<farm> farms, const steady_rate& before, double part, double predicted)
    : farms_(std::move(farms)), part_(part), before_(before.mean() * part), predicted_(predicted) {
  expected_ = 0;
  for (const auto& f : farms_) {
    replicas_ += f.to - f.from;
    const auto more = static_cast<double>(f.to - f.from) / f.from;
    if (expected_ == 0 || std::abs(more) < std::abs(expected_)) expected_ = more;
  }
  if (expected_ > 0 && before_ > 0) expected_ = std::min(expected_, std::max(predicted_ / before_ - 1, 0.1));
  windows_ = to_begin + windows_for(expected_, before);
  sure_ = before.windows() >= windows_for(expected_, before) + to_begin;
}

bool trial::works() const noexcept {
  return seen_ >= to_begin;
}

trial::verdict trial::look(const window& w, bool met, double worth) {
  const auto seconds = std::chrono::duration<double>(w.length).count();
  const auto rate = part_ * static_cast<double>(w.stages[farms_.front().stage].items()) / seconds;
  ++seen_;
  if (met && seen_ >= 2) return verdict::met;
  if (seen_ > to_begin) since_.add(rate, seconds);
  // It does what it should before new replicas had to have begun: no need to wait.
  if (expected_ > 0.25 && rate > before_ * (1 + 0.8 * expected_)) {
    if (since_.windows() == 0) since_.add(rate, seconds);
    return verdict::good;
  }
  if (seen_ < windows_) return verdict::open;
  auto least = enough * worth * replicas_;
  if (replicas_ > 0) least = std::min(least, 0.5 * std::max(predicted_ - before_, 0.04 * before_));
  if (replicas_ < 0) least = std::max(least, -most_lost * before_);
  return since_.mean() < before_ + least ? verdict::bad : verdict::good;
}

}  // namespace THALWEG_NAMESPACE::adaptation
