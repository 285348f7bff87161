#include "measured.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

namespace micro {

namespace {

using counts = std::vector<std::uint64_t>;

// The smallest value that so large a share of them does not exceed; null if there are none.
nlohmann::json quantile(std::vector<float>& values, double share) {
  if (values.empty()) return nullptr;
  const auto place = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()))) - 1;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::min(place, values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void add_one(counts& to, std::size_t place) {
  if (to.size() <= place) to.resize(place + 1);
  ++to[place];
}

}  // namespace

measured::measured(std::vector<nanos> due, double window, double late)
    : due_at_(std::move(due)), window_(window), late_after_(late) {
  for (const auto at : due_at_) add_one(due_, window_of(at));
  latencies_.resize(due_.size());
}

std::size_t measured::window_of(nanos at) const noexcept {
  return static_cast<std::size_t>(std::max(0.0, static_cast<double>(at) * 1e-9 / window_));
}

void measured::count(nanos now) {
  const auto due = due_at_[counted_++];
  const auto place = window_of(due);
  const auto age = static_cast<double>(now - began_ - due);
  if (age * 1e-9 >= late_after_) add_one(late_, place);
  latencies_[place].push_back(static_cast<float>(age * 1e-6));
}

void measured::comes(nanos now) {
  const auto place = window_of(now - began_);
  add_one(done_, place);
  gaps_.resize(done_.size());
  gaps_[place] = std::max(gaps_[place], static_cast<float>(static_cast<double>(now - last_) * 1e-6));
  last_ = now;
  count(now);
}

void measured::ends(nanos now) {
  missing_ = due_at_.size() - counted_;
  late_after_ = 0;
  while (counted_ < due_at_.size()) count(now);
}

nlohmann::json measured::told(double cpu_seconds, double elapsed_seconds) const {
  const auto windows = std::max(due_.size(), done_.size());
  const auto padded = [&](auto of) {
    of.resize(windows);
    return of;
  };
  std::vector<float> all;
  auto p99 = nlohmann::json::array();
  for (auto of_window : latencies_) {
    all.insert(all.end(), of_window.begin(), of_window.end());
    p99.push_back(quantile(of_window, 0.99));
  }
  while (p99.size() < windows) p99.push_back(nullptr);
  return {{"elapsed", elapsed_seconds},
          {"cpu_seconds", cpu_seconds},
          {"items", due_at_.size()},
          {"missing", missing_},
          {"late", std::accumulate(late_.begin(), late_.end(), std::uint64_t{0})},
          {"p50_ms", quantile(all, 0.5)},
          {"p99_ms", quantile(all, 0.99)},
          {"max_ms", quantile(all, 1)},
          {"window", window_},
          {"due", padded(due_)},
          {"done", padded(done_)},
          {"late_by_window", padded(late_)},
          {"p99_by_window", p99},
          {"gap_by_window", padded(gaps_)}};
}

}  // namespace micro
