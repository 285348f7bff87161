#include "stage_rates.hpp"

#include <algorithm>

#include "numbers.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

constexpr double keep = 0.95;  // of what was counted, for each window that passes

// Items waited all the time: as many as may wait, or as it takes in half a window. If they are few for that
// many replicas, its clock has to say so, too, or they have to be a whole window's.
bool always_had_items(const window& w, const stage_window& s, double clock) {
  if (s.source) return false;
  if (s.capacity > 0 && s.queued >= 0.8 * static_cast<double>(s.capacity)) return true;
  const auto items = static_cast<double>(s.items_in);
  if (s.queued < 2 || s.queued < 0.5 * items) return false;
  const bool at_work = as_seconds(s.busy) * clock > 0.9 * s.replicas * as_seconds(w.length);
  return s.queued >= 2.0 * s.replicas || s.queued >= items || at_work;
}

bool has_no_room(const window& w, std::size_t i) {
  const auto& s = w.stages[i];
  if (as_seconds(s.waited_out) > 0.2 * s.replicas * as_seconds(w.length)) return true;
  return std::ranges::any_of(w.stages, [&](const stage_window& next) {
    return next.capacity > 0 && next.queued >= 0.8 * static_cast<double>(next.capacity) &&
           std::ranges::find(next.inputs, i) != next.inputs.end();
  });
}

}  // namespace

void all_rates::begin(const window& w) {
  of_.assign(w.stages.size(), {});
  splits_.assign(w.stages.size(), 0);
  std::vector<int> takers(w.stages.size(), 0);
  for (const auto& s : w.stages)
    for (const auto j : s.inputs) ++takers[j];
  for (std::size_t i = 0; i < w.stages.size(); ++i)
    for (const auto j : w.stages[i].inputs) splits_[i] |= static_cast<char>(takers[j] > 1);
}

void all_rates::count(const window& w) {
  for (std::size_t i = 0; i < of_.size(); ++i) {
    auto& r = of_[i];
    const auto& s = w.stages[i];
    r.given_ = keep * r.given_ + static_cast<double>(s.items_out);
    r.taken_ = keep * r.taken_ + static_cast<double>(s.items_in);
    if (!s.source && !s.sink && r.taken_ > 0) r.yield = r.given_ / r.taken_;
    if (splits_[i] == 0) continue;
    r.offered_ *= keep;
    for (const auto j : s.inputs) r.offered_ += static_cast<double>(w.stages[j].items_out);
    r.arrived_ = keep * r.arrived_ + std::max(0.0, static_cast<double>(s.items_in) + s.queued - r.queued_);
    r.queued_ = s.queued;
    if (r.offered_ > 0) r.share = std::min(r.arrived_ / r.offered_, 1.0);
  }
}

void all_rates::look(const window& w) {
  if (of_.size() != w.stages.size()) begin(w);
  const auto length = as_seconds(w.length);
  if (length <= 0) return;
  count(w);
  for (std::size_t i = 0; i < of_.size(); ++i) {
    auto& r = of_[i];
    const auto& s = w.stages[i];
    r.rate = static_cast<double>(s.items()) / length;
    r.stuck = has_no_room(w, i);
    r.was_full = r.full;
    r.full = s.items() > 0 && !r.stuck && always_had_items(w, s, r.clock);
  }
}

void all_rates::learn(const window& w) {
  const auto length = as_seconds(w.length);
  if (length <= 0) return;
  // Where all processors are at work, a stage takes as long as it waits for one: that says nothing of it.
  double cpu = 0;
  for (std::size_t i = 0; i < of_.size(); ++i)
    cpu += std::min(as_seconds(w.stages[i].cpu), as_seconds(w.stages[i].busy) * of_[i].clock);
  crowded_ = cpu > 0.95 * w.cores * length;
  for (std::size_t i = 0; i < of_.size(); ++i)
    if (!crowded_ || !of_[i].law.known() || (of_[i].full && of_[i].was_full))
      learn(w.stages[i], length, crowded_, of_[i]);
}

void all_rates::learn(const stage_window& s, double length, bool crowded, stage_rates& r) {
  if (s.items() == 0 || s.busy.count() <= 0) return;
  const auto items = static_cast<double>(s.items());
  const auto busy = as_seconds(s.busy);
  const auto could = s.replicas * length;  // the time that its replicas had
  const auto off = could / busy;
  // One window may have been full for its second half alone.
  const bool full = r.full && r.was_full;
  if (full)
    r.clock += (r.clock == 1 ? 1.0 : 0.2) * (off - r.clock);
  else
    r.clock = std::min(r.clock, off);  // a clock that counts more than there was is wrong, too
  r.doubtful = r.full && !full && busy * r.clock < 0.9 * could;
  const auto cpu = std::min(as_seconds(s.cpu), busy * r.clock) / items;
  r.cpu += (r.cpu <= 0 ? 1.0 : 0.2) * (cpu - r.cpu);
  const auto each = (full ? could : busy * r.clock) / items;
  if (!crowded) r.each += (r.each <= 0 ? 1.0 : 0.2) * (each - r.each);
  if (full)
    r.law.saw(s.replicas, could / items);
  else
    r.law.saw_part(busy * r.clock / length, busy * r.clock / items);
}

void all_rates::forget_behind(const window& w, std::string_view batch) {
  std::vector<bool> behind(of_.size(), false);
  for (std::size_t i = 0; i < of_.size(); ++i) {
    const auto& s = w.stages[i];
    behind[i] = s.name == batch || std::ranges::any_of(s.inputs, [&](auto from) { return behind[from]; });
    if (behind[i]) of_[i] = {};
  }
}

}  // namespace THALWEG_NAMESPACE::adaptation
