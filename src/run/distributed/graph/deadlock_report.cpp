#include "deadlock_report.hpp"

#include <algorithm>
#include <optional>

#include "../../engine/graph_engine.hpp"

namespace thalweg::run_detail::dataflow {

// All that are awake wait in the middle of a call, or are ready but for a thread; and nobody who waits has
// got room meanwhile.
std::optional<deadlock_report> graph_engine::stands_still() const {
  deadlock_report found;
  found.since = moved();
  if (over()) return found;
  const bool paused = state_->flags.paused() && !state_->flags.ending.load();
  if (paused || !waits_for_others(found.since)) return std::nullopt;
  const auto ready = ready_nodes();
  const bool in_calls = found.since % one_awake > 0;
  if (ready > 0) {
    if (!in_calls) return std::nullopt;  // a thread is about to take it
    found.by = remedy::turn;
  } else if (const auto* const e = smallest_full()) {
    found.by = remedy::room;
    found.items = e->items();
  } else if (in_calls) {
    found.by = remedy::way;
  }
  if (moved() != found.since) return std::nullopt;
  return found;
}

bool graph_engine::relieve(remedy by) {
  switch (by) {
    case remedy::turn:
      turns_given_.fetch_add(1);
      return true;
    case remedy::room:
      if (auto* const e = smallest_full()) {
        e->grow();
        moving_.fetch_add(change);  // also if its sender waits for another one: then that is next
        e->from->notify();
        return true;
      }
      return false;
    case remedy::way:
      ways_given_.fetch_add(1);
      return true;
    case remedy::nothing:
      break;
  }
  return false;
}

// So much at least nothing on this rank can change before others have sent something.
bool graph_engine::waits_for_others(std::uint64_t moving) const {
  return (moving % change) / one_awake <= moving % one_awake + ready_nodes() &&
         std::none_of(channels_.begin(), channels_.end(), [](const auto& e) { return e->goes_on(); });
}

std::size_t graph_engine::ready_nodes() const {
  const std::lock_guard hold(groups_lock_);
  std::size_t ready = 0;
  for (const auto& s : groups_) ready += s->ready();
  return ready;
}

// Of the full edges in front of stages that choose, and do not read them now.
channel* graph_engine::smallest_full() const {
  channel* smallest = nullptr;
  for (const auto& e : channels_) {
    if (e->has_room() || e->to->ended() || !e->to->asleep() || !e->to->chooses() || e->to->waits_outside())
      continue;
    if (smallest == nullptr || e->items() < smallest->items()) smallest = e.get();
  }
  return smallest;
}

}  // namespace thalweg::run_detail::dataflow
