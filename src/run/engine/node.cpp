// State: of a node `state_` (asleep, queued, running, again) and `deep_`; of a loop `inside` and `ended`.
// Writers: who notifies makes a sleeping node queued; the one thread that executes it does the rest.
// Invariant: whoever changes what a node may wait for executes a full fence, then looks at `state_`. Going to
//   sleep is a compare-and-swap that fails after a notification: the node looks again. Before its thread
//   sleeps it sets `deep_`, then `hurry` where something is lent, executes a heavy fence and looks once more.
//   What is in a loop is counted before it comes in, and until what has become of it is counted and has been
//   handed over.
// Models: docs/protocols/node.pml, docs/protocols/lend.pml, docs/protocols/loop_end.pml,
//   docs/protocols/whole_line.pml, docs/protocols/branch_order.pml, docs/protocols/resize.pml,
//   docs/protocols/pieces.pml, docs/protocols/partitions.pml.
#include "node.hpp"

#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/membarrier.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "graph_engine.hpp"
#include "whole_line.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

constexpr double remembered = 65'536;  // of items, what becomes of them

}  // namespace

bool loop::empty() const noexcept {
  return std::all_of(entries.begin(), entries.end(), [](const channel* e) { return e->ended(); }) &&
         inside.load(std::memory_order_acquire) == 0;
}

void loop::left(worker* w) {
  if (!empty()) return;
  const auto next = ended.load(std::memory_order_acquire);
  if (next < nodes.size()) nodes[next]->notify(w);
}

void node::notify(worker* w) {
  if (part_of != nullptr && part_of->on()) return part_of->head().notify(w);
  pipe::full_fence();  // what has changed is seen by whoever finds the node asleep, or it by that
  auto seen = state_.load(std::memory_order_acquire);
  for (;;) {
    if (seen == state::idle) {
      net_.woke();  // before anybody can claim it
      if (!state_.compare_exchange_weak(seen, state::queued, std::memory_order_acq_rel)) {
        net_.slept();
        continue;
      }
      home->submit(*this, worker_group::turn::first, w != nullptr && &w->home == home && w->soon);
      return;
    }
    if (seen == state::running) {
      if (!state_.compare_exchange_weak(seen, state::again, std::memory_order_acq_rel)) continue;
    }
    return;
  }
}

bool node::could_borrow() const {
  if (ended() || !outputs_have_room()) return false;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i]->borrows() && wants(i) && !in[i]->empty()) return true;
  }
  return false;
}

bool node::fall_asleep(const node* next) {
  deep_.store(true, std::memory_order_relaxed);
  pipe::full_fence();  // a sender that takes the flag back sees this
  // A sender that is in this thread's hands sees it anyway, and the fence is expensive: it interrupts all
  // threads. One that is executed by threads of the same group is looked after by the monitor.
  bool elsewhere = false;
  for (auto* e : in) {
    if (!e->borrows() || e->from == next || e->from->home == home) continue;
    e->hurry(true);
    elsewhere = true;
  }
  if (elsewhere) pipe::heavy_fence();
  return asleep() && !net_.over() && could_borrow();
}

bool node::claim() noexcept {
  auto seen = state::queued;
  if (!state_.compare_exchange_strong(seen, state::running, std::memory_order_acq_rel)) return false;
  pipe::full_fence();
  if (rests_since_ != 0) count_waiting(observe::now_ns());
  return true;
}

// The time that it has had nothing to do.
void node::count_waiting(std::int64_t now) {
  const auto since = std::exchange(rests_since_, 0);
  const bool for_room = std::exchange(wants_room_, false);
  if (!net_.run().observes()) return;
  for (auto& c : counters()) (for_room ? c.wait_out_ns : c.wait_in_ns).add_ns(now - since);
}

void node::waited_for_room(std::int64_t ns) {
  if (!net_.run().observes()) return;
  for (auto& c : counters()) c.wait_out_ns.add_ns(ns);
}

bool node::quiet() const {
  return std::all_of(in.begin(), in.end(), [](const channel* e) { return e->empty(); }) && asleep();
}

std::int64_t node::waiting_ns() const noexcept {
  if (in.empty()) return never;
  std::int64_t sum = 0;
  for (const auto* e : in) {
    const auto items = e->items();
    if (items == 0) continue;
    if (e->item_ns() == 0) return never;
    sum += items * e->item_ns();
  }
  return sum;
}

void node::release(worker& w) {
  const bool live =
      !net_.how().alone() && std::any_of(in.begin(), in.end(), [](const channel* e) { return e->borrows(); });
  deep_.store(!live, std::memory_order_relaxed);  // without a thread that looks, it is to be notified
  for (;;) {
    if (!net_.over() && !ended() && ready()) {
      state_.store(state::queued, std::memory_order_release);
      home->submit(*this, worker_group::turn::last, &w.home == home && w.depth == 0);
      return;
    }
    rests_since_ = observe::now_ns();
    auto seen = state::running;
    if (state_.compare_exchange_strong(seen, state::idle, std::memory_order_acq_rel)) break;
    rests_since_ = 0;
    state_.store(state::running, std::memory_order_relaxed);
    pipe::full_fence();  // what the notification was about is seen by `ready`
  }
  if (live) w.polling.push_back(this);
  if (part_of != nullptr) {
    pipe::full_fence();  // the head sees that this node sleeps, or this that the head waits for it
    if (part_of->draining()) part_of->head().notify(&w);
  }
  net_.slept();
}

std::string node::what_waits() const {
  const bool some = std::any_of(in.begin(), in.end(), [](const channel* e) { return e->items() > 0; });
  return some
             ? "stage '" + net_.run().stages[first_].info->name + "' does not take the items that wait for it"
             : std::string();
}

bool node::outputs_have_room() const {
  const auto& outlets = *sends_to_.load(std::memory_order_acquire);
  const auto has_room = [](const outlet& o) { return o.to == nullptr || o.to->has_room(); };
  return any_output_will_do ? std::any_of(outlets.begin(), outlets.end(), has_room)
                            : std::all_of(outlets.begin(), outlets.end(), has_room);
}

std::size_t node::limit_of(const outlet& o) {
  return o.to == nullptr ? longest_run : o.to->batch();
}

bool node::ask_for_room() {
  const auto& outlets = *sends_to_.load(std::memory_order_relaxed);
  const auto has_room = [](const outlet& o) { return o.to == nullptr || o.to->ask_for_room(); };
  wants_room_ = !(any_output_will_do ? std::any_of(outlets.begin(), outlets.end(), has_room)
                                     : std::all_of(outlets.begin(), outlets.end(), has_room));
  return !wants_room_;
}

bool node::inputs_ended() const {
  if (in_loop != nullptr) {
    return in_loop->ended.load(std::memory_order_acquire) == place_in_loop && in_loop->empty();
  }
  return std::all_of(in.begin(), in.end(), [](const channel* e) { return e->ended(); });
}

bool node::may_take(std::size_t port) const {
  const auto& e = *in[port];
  if (e.empty()) return false;
  return in_loop == nullptr || e.in_loop || in_loop->inside.load(std::memory_order_relaxed) < in_loop->credit;
}

chunk_ptr node::take(worker& w, std::size_t port, chunk_ptr back, bool in_hand) {
  auto& e = *in[port];
  if (const auto all = counters(); !all.empty() && net_.run().observes()) {
    const auto waiting = static_cast<std::uint64_t>(std::max<std::int64_t>(0, e.items()));
    all.front().occupancy.sample(waiting);
    if (auto* const trace = net_.run().statistics.trace.on())
      trace->level(static_cast<std::size_t>(w.log.number), first_, observe::now_ns(), waiting);
  }
  // Whoever has sent the last item may have ended: this node has not, and its end hooks may still send.
  const auto pop = [&] {
    const auto most = std::min({most_items_, take_most_.load(std::memory_order_relaxed),
                                std::max(least_items_, e.share_of(net_.at_once(first_, e.takers())))});
    auto got = e.pop(most, std::move(back), in_hand);
    if (got) got->upto = std::min(got->upto, pipe::end_rank);
    return got;
  };
  if (in_loop != nullptr && !e.in_loop) {
    // Counted before it leaves the channel: otherwise the loop could look empty meanwhile.
    in_loop->inside.fetch_add(1, std::memory_order_acq_rel);
    auto got = pop();
    const auto n = got ? static_cast<std::int64_t>(got->size()) : 0;
    in_loop->inside.fetch_add(n - 1, std::memory_order_acq_rel);
    if (e.sender_waits()) e.from->notify(&w);
    return got;
  }
  auto got = pop();
  if (const auto n = e.lost(); n != 0) leave_loop(&w, n);
  if (e.sender_waits()) e.from->notify(&w);
  return got;
}

void node::done(worker& w, std::size_t port, std::size_t items) {
  auto& e = *in[port];
  e.done(items);
  if (e.sender_waits()) e.from->notify(&w);
}

void node::learn(std::size_t items, std::int64_t ns, bool cut) {
  if (items == 0) return;
  const auto now = std::max(static_cast<double>(ns) / static_cast<double>(items), 0.01);
  const auto before = cost_ns();
  const auto cost = before == 0 ? now : before + (now - before) / 4;
  cost_ns_.store(cost, std::memory_order_relaxed);
  worked_ns_.fetch_add(ns, std::memory_order_relaxed);
  items_done_.fetch_add(items, std::memory_order_relaxed);
  const auto items_in = [&](std::int64_t time, std::size_t most) {
    const auto fit = static_cast<std::size_t>(static_cast<double>(time) / std::max(cost, 1.0));
    return std::clamp<std::size_t>(fit, 1, std::min(longest_run, most));
  };
  const auto run_work = net_.run_ns();
  most_items_ = cut ? 1 : items_in(run_work, 2 * most_items_);
  least_items_ = cut ? 1 : items_in(least_share_ns, most_items_);
  // More than are taken at once on one machine, but not where each is much work.
  const auto message_work = net_.at_most_asked(message_ns);
  const auto runs = std::max<std::int64_t>(1, message_work / run_work);  // both may be set meanwhile
  const auto message = items_in(message_work, static_cast<std::size_t>(runs) * most_items_);
  const auto behind = behind_ns(items);
  for (auto* e : in) {
    e->set_batch(most_items_, message);
    e->set_item_ns(std::max(cost, 1.0));
    e->set_behind_ns(behind);
    // How much room there must be depends on it.
    if (e->sender_waits()) e->from->notify();
  }
}

// How long what becomes of an item has to wait in front of those behind; `items` more have been worked on.
// What comes here waits for that, too, so it shall not be more than these can do with in a while.
double node::behind_ns(std::size_t items) {
  taken_ += static_cast<double>(items);
  const auto& outlets = *sends_to_.load(std::memory_order_relaxed);
  if (outlets.empty()) return 0;
  double longest = 0, shortest = std::numeric_limits<double>::max();
  for (const auto& o : outlets) {
    const auto pace =
        o.to == nullptr ? 0.0
                        : static_cast<double>(o.to->pace_ns()) * static_cast<double>(o.to->pushed()) / taken_;
    longest = std::max(longest, pace);
    shortest = std::min(shortest, pace);
  }
  if (taken_ > remembered) {
    taken_ /= 2;
    for (const auto& o : outlets) {
      if (o.to != nullptr) o.to->halve_pushed();
    }
  }
  return any_output_will_do ? shortest : longest;
}

void node::leave_loop(worker* w, std::int64_t n) {
  if (in_loop == nullptr || n == 0) return;
  const auto left = in_loop->inside.fetch_sub(n, std::memory_order_acq_rel) - n;
  if (left == 0) in_loop->left(w);
  if (left < in_loop->credit) {
    for (const auto* e : in_loop->entries) {
      if (!e->empty()) e->to->notify(w);
    }
  }
}

void node::hand_over(worker* w, outlet& o) {
  if (o.to == nullptr) {
    o.filling->clear();
    return;
  }
  auto& items = *o.filling;
  auto& e = *o.to;
  if (e.in_loop) {
    if (e.to->ended() && !items.empty()) {
      net_.run().fail(
          std::make_exception_ptr(
              error("the end hook of a stage in a loop has sent items to a stage that has already ended")),
          0);
      throw cancelled{};
    }
    const auto n = static_cast<std::int64_t>(items.size());
    const auto inside = in_loop->inside.fetch_add(n, std::memory_order_acq_rel) + n;
    if (inside > in_loop->limit) {
      net_.run().fail(std::make_exception_ptr(loop_overflow(
                          "the loop at stage '" + net_.run().stages[first_].info->name + "' holds " +
                          std::to_string(inside) + " items, more than its limit of " +
                          std::to_string(in_loop->limit) + ": more items are made in it than leave it")),
                      0);
      throw cancelled{};
    }
  }
  const bool was_paced = items.paced;
  const bool was_ranked = items.ranked;
  e.push(items);
  if (const auto n = e.lost(); n != 0) leave_loop(w, n);
  items.paced = was_paced;
  items.ranked = was_ranked;
  e.to->notify(w);
  if (e.hurried()) {
    e.hurry(false);
    pipe::full_fence();  // whoever falls asleep now says so after this, or is seen here
    if (e.to->hungry(e.to_port)) e.hurry(true);
  }
}

void node::end(worker& w) {
  ended_.store(true, std::memory_order_release);
  for (auto& o : out) {
    if (o.to == nullptr) continue;
    o.to->lend(nullptr);
    o.to->close();
    o.to->to->notify(&w);
    if (o.to->to->in_loop != nullptr && !o.to->in_loop) o.to->to->in_loop->left(&w);
  }
  for (auto* e : in) {
    e->discard();
    if (e->from != nullptr) e->from->notify(&w);
  }
  if (in_loop != nullptr) {
    in_loop->ended.fetch_add(1, std::memory_order_acq_rel);
    in_loop->left(&w);
  }
  net_.ended();
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
