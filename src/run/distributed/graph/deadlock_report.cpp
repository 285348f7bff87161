#include "deadlock_report.hpp"

#include <algorithm>
#include <optional>

#include "../../engine/graph_engine.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

constexpr std::size_t most_growth = 16;  // of an edge in front of a loop that waits for itself

}  // namespace

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
  } else if (awaits_something()) {
    found.by = remedy::later;
  } else if (!what_waits().empty()) {
    found.by = remedy::failure;
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
        grow(*e);
        moving_.fetch_add(change);  // also if its sender waits for another one: then that is next
        e->from->notify();
        return true;
      }
      return false;
    case remedy::way:
      ways_given_.fetch_add(1);
      return true;
    case remedy::failure:
      return end_deadlock();
    case remedy::later:
    case remedy::nothing:
      break;
  }
  return false;
}

// The run fails in the first stage for which items wait.
bool graph_engine::end_deadlock() {
  const auto waits = [&](const node* n) { return !n->ended() && is_mine(*n) && !n->what_waits().empty(); };
  auto first = std::find_if(nodes_.begin(), nodes_.end(),
                            [&](const node* n) { return waits(n) && n->waits_for_its_loop(); });
  if (first == nodes_.end()) first = std::find_if(nodes_.begin(), nodes_.end(), waits);
  if (first == nodes_.end()) return false;
  const auto& at = state_->stages[(*first)->first()];
  state_->fail(at.component,
               {at.stage, std::make_exception_ptr(error("nothing can move any more: " + what_waits()))},
               at_the_end, 0);
  wake();
  return true;
}

// Where a loop waits for itself, no item that comes in from outside can help.
void graph_engine::grow(channel& e) {
  e.grow();
  if (e.grown() > most_growth && std::any_of(nodes_.begin(), nodes_.end(), [&](const node* n) {
        return n->in_loop != nullptr && is_mine(*n) && n->asleep() && n->waits_for_its_loop();
      }))
    (void)end_deadlock();
}

// This rank executes it.
bool graph_engine::is_mine(const node& n) const {
  return !state_->others || executes(n);
}

// Time will pass, or somebody outside the graph will do something.
bool graph_engine::awaits_something() const {
  const auto awaits = [](const node* n) {
    return !n->ended() &&
           (n->deadline() != never || n->has_doors() || (n->sources() && n->outputs_have_room()));
  };
  return std::any_of(channels_.begin(), channels_.end(), [](const auto& e) { return e->has_own_pipe(); }) ||
         std::any_of(nodes_.begin(), nodes_.end(), [&](const node* n) { return is_mine(*n) && awaits(n); });
}

// The stages for which items wait.
std::string graph_engine::what_waits() const {
  std::string all;
  for (const auto* n : nodes_) {
    if (n->ended() || !is_mine(*n)) continue;
    if (const auto text = n->what_waits(); !text.empty()) all += (all.empty() ? "" : "; ") + text;
  }
  return all;
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

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
