#include "period.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace THALWEG_NAMESPACE::adaptation {

namespace {

bool same_stages(const window& one, const window& other) {
  return std::equal(one.stages.begin(), one.stages.end(), other.stages.begin(), other.stages.end(),
                    [](const stage_window& a, const stage_window& b) { return a.name == b.name; });
}

// What was there on average, over both.
double mean_of(double before, std::chrono::nanoseconds length, double now, std::chrono::nanoseconds more) {
  const auto all = static_cast<double>((length + more).count());
  if (all <= 0) return now;
  return (before * static_cast<double>(length.count()) + now * static_cast<double>(more.count())) / all;
}

}  // namespace

void joined_windows::add(const window& w) {
  if (std::exchange(empty_, false) || !same_stages(whole_, w)) {
    whole_ = w;
    return;
  }
  auto sum = w;
  sum.length += whole_.length;
  sum.cpu += whole_.cpu;
  sum.latency.merge(whole_.latency);
  sum.changed = w.changed || whole_.changed;
  for (std::size_t i = 0; i < sum.stages.size(); ++i) {
    auto& to = sum.stages[i];
    const auto& before = whole_.stages[i];
    to.items_in += before.items_in;
    to.items_out += before.items_out;
    to.runs += before.runs;
    to.busy += before.busy;
    to.cpu += before.cpu;
    to.waited_in += before.waited_in;
    to.waited_out += before.waited_out;
    to.queued = mean_of(before.queued, whole_.length, to.queued, w.length);
  }
  whole_ = std::move(sum);
}

bool period::ends_with(const window& w) {
  if (std::exchange(ended_, false)) windows_.drop();
  windows_.add(w);
  const std::chrono::duration<double> so_far = whole().length;
  const std::chrono::duration<double> half_a_window = w.length / 2;
  ended_ = w.length.count() > 0 && so_far + half_a_window >= length_;
  return ended_;
}

}  // namespace THALWEG_NAMESPACE::adaptation
