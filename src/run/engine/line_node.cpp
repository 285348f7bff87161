// A line of serial stages, or the whole line that it begins: items are taken from the input, or from the
// source, a run at a time, and what comes of them is put into the output.
//
// State: `rest_`, what is left of a run that was cut short, and the chunk that a source fills and lends.
// Writers: who executes the node; a receiver may take items out of what is lent at any time.
// Invariant: a source looks at the flag `hurry` after each item, and keeps nothing back while it is set. A
//   promise goes on with the end of a run, not in its middle. The head of a line that drains takes nothing.
// Models: docs/protocols/lend.pml, docs/protocols/chunk.pml, docs/protocols/whole_line.pml,
//   docs/protocols/branch_order.pml.
#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/membarrier.hpp>

#include <algorithm>
#include <mutex>

#include "../looks.hpp"
#include "nodes.hpp"
#include "whole_line.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

constexpr std::size_t most_lent = 1024;  // items that may lie in a lent chunk
constexpr double quick_ns = 1'000;       // an item of a source that does not wait
constexpr double slow_ns = 20'000;       // one of a source for which another thread may be called
constexpr double calls_remembered = 63;  // in its average
constexpr std::size_t quick_calls_per_item = 4;
constexpr std::int64_t positions_per_item = 1024;  // an item of a source may become several

}  // namespace

line_node::line_node(graph_engine& n, std::vector<part> parts)
    : node(n, parts.front().first, parts.back().first + parts.back().stages.last - parts.back().stages.first),
      parts_(std::move(parts)),
      is_source_(n.run().stages[first_].info->in == nullptr),
      timed_(std::any_of(n.run().stages.begin() + static_cast<std::ptrdiff_t>(first_),
                         n.run().stages.begin() + static_cast<std::ptrdiff_t>(last_),
                         [](const run_state::stage_ref& s) { return s.info->timed; })) {}

line_node::~line_node() = default;

std::span<observe::stage_counters> line_node::counters() {
  return runner_ != nullptr ? runner_->counters() : std::span<observe::stage_counters>{};
}

void line_node::prepare(worker& w) {
  if (stages_) return;
  auto& run = net_.run();
  if (!out.empty()) {
    auto& o = out.front();
    const auto& p = parts_.back();
    o.filling = run.plan.components[p.component]->make_chunk(p.stages.last - 1);
    o.filling->ranked = o.to != nullptr && o.to->ranked;
  }
  stages_ = std::make_unique<stage_runner>(net_, parts_, 0, out.empty() ? nullptr : out.front().filling.get(),
                                           *this);
  stages_->paced = paced;
  if (!out.empty() && out.front().to != nullptr) stages_->limit_bytes = out.front().to->run_bytes();
  stages_->start(w);
  if (is_source_) {
    const auto& info = *run.stages[first_].info;
    eager_ = info.source.eager && !info.source.pushes;
    lends_ = !eager_;
    if (info.source.pushes) net_.watch();
  }
  use(*stages_, out.empty() ? nullptr : &out.front(), out);
  if (whole) whole->begin(w);
}

// From now on items go through these stages, and what comes of them goes there.
void line_node::use(stage_runner& runner, outlet* to, const std::vector<outlet>& room) {
  stop_lending();
  runner_ = &runner;
  outlet_ = to;
  send_to(room);
  lending_to_.store(outlet_ != nullptr && outlet_->to != nullptr && !outlet_->to->in_loop && !is_source_
                        ? outlet_
                        : nullptr,
                    std::memory_order_release);
  if (!lends_ || outlet_ == nullptr || outlet_->to == nullptr) return;
  outlet_->to->lend(outlet_->filling.get());
  outlet_->to->hurry(true);  // the receiver may sleep already
  runner_->hurry = &outlet_->to->hurry_flag();
}

void line_node::stop_lending() {
  if (!lends_ || outlet_ == nullptr || outlet_->to == nullptr) return;
  const std::lock_guard hold(outlet_->to->lending());
  outlet_->to->lend(nullptr);
}

// No more items will come.
bool line_node::is_over() const {
  if (is_source_) return source_ended_ || net_.run().flags.ending.load(std::memory_order_acquire);
  return !rest_ && inputs_ended();
}

bool line_node::ready() {
  if (ended()) return false;
  if (whole && whole->draining()) return whole->quiet();
  if (is_over()) return ask_for_room();
  if (is_source_) return !net_.run().flags.paused() && ask_for_room();
  if (stages_ && stages_->deadline() <= observe::now_ns()) return ask_for_room();
  return (rest_ || may_take(0)) && ask_for_room();
}

void line_node::execute(worker& w) {
  prepare(w);
  if (whole && !whole->enter_if_quiet(w)) return;
  if (stages_->deadline() <= observe::now_ns()) {
    stages_->fire_timers(w, longest_run, !is_source_ && (rest_ || may_take(0)));
    w.soon = w.depth == 0;
    give(w, false);
  }
  if (is_over()) {
    if (whole) whole->leave();
    finish(w);
  } else if (!outputs_have_room()) {
    return;
  } else if (!is_source_) {
    if (rest_ || may_take(0)) take_items(w);
  } else if (!net_.run().flags.paused()) {
    produce(w);
  }
}

// A source that may wait lends what it has given: a receiver that runs out of work takes it. One that sleeps
// on a thread of its own is handed it at once.
bool line_node::collects(std::size_t bytes) {
  const auto* e = outlet_ == nullptr ? nullptr : outlet_->to;
  return lends_ && e != nullptr && !e->bounds_bytes() && outlet_->filling->size() < longest_filling_ &&
         bytes < e->run_bytes() && !e->hurried();
}

// A source that is called for each item need not be called again while there is no room, so its thread does
// not wait in the middle of a call. Where other stages follow in its node one item may become many: these
// wait.
bool line_node::keeps_instead_of_waiting() const {
  return is_source_ && last_ - first_ == 1 && runner_ == stages_.get() &&
         !net_.run().stages[first_].info->source.pushes && outlet_->to->capacity() == 0 &&
         !outlet_->to->bounds_bytes();
}

void line_node::give(worker& w, bool in_call) {
  if (outlet_ == nullptr) return;
  auto& o = *outlet_;
  auto& items = *o.filling;
  if (o.to != nullptr && in_call && !o.to->has_room()) {
    if (keeps_instead_of_waiting()) return runner_->pull_no_more();
    net_.wait_for_room(w, *o.to);
  }
  std::unique_lock<pipe::spinlock> hold;
  if (o.to != nullptr) hold = std::unique_lock(o.to->lending());
  items.position = std::max(items.position, runner_->position);  // a receiver may have taken the first ones
  // What else a source gives in the same call was born after what has gone already.
  items.born_ns = runner_->born_ns != 0 ? runner_->born_ns : observe::now_ns();
  // In the middle of a run of items the rest of it is still to come.
  items.upto = in_call ? std::numeric_limits<std::int64_t>::min() : runner_->upto;
  if (is_source_) runner_->born_ns = 0;
  if (items.empty() && (o.to == nullptr || !o.to->ranked)) return;
  sent_ += static_cast<std::int64_t>(items.size());
  runner_->position = items.position + static_cast<std::int64_t>(items.size());
  hand_over(&w, o);
  items.position = runner_->position;  // what comes next in the same call is behind it
}

// Called by the monitor. Not for sources: receivers take from what those lend.
void line_node::hand_on() {
  auto* const o = lending_to_.load(std::memory_order_acquire);
  if (o == nullptr || lends_) return;
  {
    const std::lock_guard hold(o->to->lending());
    if (o->filling->empty() || o->to->ranked || !o->to->has_room()) return;
    auto some = o->filling->sibling();
    some->born_ns = o->filling->born_ns;
    (void)o->filling->steal(*some);
    some->upto = std::numeric_limits<std::int64_t>::min();
    if (!some->empty()) o->to->push(*some);
  }
  o->to->to->notify();
}

// These are the stages of the whole line, and there are others to share the work with.
bool line_node::may_leave(const stage_runner& from) const {
  return whole && &from != stages_.get() && !net_.how().alone();
}

// To a stage of this node, which is this thread's, or to the first of another one.
bool line_node::can_divert(const stage_runner& from, std::size_t stage) const {
  return may_leave(from) && !out.empty() && (stage <= last_ || whole->node_at(stage) != nullptr);
}

bool line_node::can_divert_behind(const stage_runner& from, std::size_t stage) const {
  return may_leave(from) && whole->goes_on_behind(stage);
}

// What a call of the loop still sends goes on from here, as if the node of that stage had made the call
// itself.
void line_node::divert(const stage_runner& from, worker& w, std::size_t stage, pipe::chunk_base& items) {
  if (whole->on()) {
    give(w, true);  // what has come out of the loop comes first
    whole->leave_in_call();
  }
  if (stage > last_) {
    items.position = from.position;
    items.born_ns = from.born_ns;
    items.upto = std::numeric_limits<std::int64_t>::min();
    return hand_to(w, *whole->node_at(stage)->in.front(), items);
  }
  stages_->position = from.position;
  stages_->born_ns = from.born_ns;
  stages_->upto = from.upto;
  stages_->carry_on(w, stage, items, limit_of(*outlet_));
  give(w, true);
}

// In place of the node before, which makes the call.
void line_node::hand_to(worker& w, channel& e, pipe::chunk_base& items) {
  if (!e.has_room()) net_.wait_for_room(w, e);
  e.push(items);
  e.to->notify(&w);
}

// Whether nobody but this thread's group can take what the source has given while it waits in a call. Then it
// is asked for more than one item at a time only after it has been quick for long, and while the monitor
// looks after the run: in one call there is nobody else to hand on what it has given before.
bool line_node::collects_long() const {
  return lends_ && outlet_ != nullptr && outlet_->to != nullptr &&
         (net_.how().alone() || (outlet_->to->to != nullptr && outlet_->to->to->home == home));
}

void line_node::produce(worker& w) {
  auto& runner = *runner_;  // the loop may be left in the middle of the call
  const bool one_loop = &runner != stages_.get();
  const auto* const e = outlet_ == nullptr ? nullptr : outlet_->to;
  const auto batch = e != nullptr ? std::max<std::size_t>(1, e->batch()) : longest_whole_run;
  longest_filling_ = std::min(batch, most_lent);
  // So many that what comes of them is worth handing over: behind a filter or a window that is more.
  const auto each = static_cast<double>(made_ + 1) / static_cast<double>(sent_ + 1);
  auto n = std::min(run_length_, static_cast<std::size_t>(static_cast<double>(batch) * std::max(1.0, each)));
  if (collects_long()) {
    if (streak_ >= unwatched_calls) net_.watch();
    n = std::min(n, net_.is_watched() ? 1 + streak_ / quick_calls_per_item : 1);
  }
  // No more than there is room for, also where the receiver has just asked for longer runs.
  if (e != nullptr && e->bounds_items()) n = std::min(n, std::max<std::size_t>(1, e->room()));
  // A caller below that waits in the middle of a call is not kept waiting by a full channel behind this node.
  if (w.depth > 0) n = std::min(n, std::max<std::size_t>(longest_filling_, 1));
  runner.position = made_ * positions_per_item;
  if (outlet_ != nullptr && outlet_->to != nullptr) {
    const std::lock_guard hold(outlet_->to->lending());  // a receiver may look at it
    outlet_->filling->position = runner.position;
  }
  runner.eager = eager_;
  const auto got = runner.produce(w, n, lends_ ? longest_filling_ : std::max<std::size_t>(batch, n) + 1);
  made_ += static_cast<std::int64_t>(got.items);
  source_ended_ = got.ended;
  const auto target = one_loop ? net_.at_most_asked(whole_run_ns) : net_.run_ns();
  const auto most = one_loop ? longest_whole_run : longest_run;
  if (runner.worked_ns >= target) {
    run_length_ = std::max<std::size_t>(1, run_length_ / 2);
  } else if (net_.at_most_asked(2 * runner.worked_ns) == 2 * runner.worked_ns) {
    run_length_ = std::min(2 * run_length_, most);
  }
  // A source with a rare slow call (a file read in blocks) does not count as one that waits.
  const auto calls = static_cast<double>(std::max<std::size_t>(1, got.items));
  usual_call_ns_ +=
      (static_cast<double>(runner.took_ns) - usual_call_ns_ * calls) / (calls + calls_remembered);
  calls_wait_.store(usual_call_ns_ > slow_ns, std::memory_order_relaxed);
  const bool waits = usual_call_ns_ > quick_ns || (!one_loop && runner.took_ns > whole_run_ns);
  streak_ = waits ? 0 : streak_ + got.items;
  w.soon = w.depth == 0;
  give(w, false);
  if (whole) whole->ran(w, got.items, runner.worked_ns, runner.took_ns);
}

void line_node::take_items(worker& w) {
  const bool fresh = !rest_;
  auto items = rest_ ? std::move(rest_) : take(w, 0, std::move(back_), true);
  if (!items) return;
  if (fresh) show_items(net_.run(), first_, 0, *items);
  auto& runner = *runner_;  // the loop may be left in the middle of a call
  const auto n = items->size();
  runner.position = items->position;
  runner.born_ns = items->born_ns;
  runner.upto = items->upto;
  if (outlet_ != nullptr && outlet_->to != nullptr) {
    const std::lock_guard hold(outlet_->to->lending());  // the monitor may look at it
    outlet_->filling->position = items->position;
    outlet_->filling->born_ns = items->born_ns;
  }
  const auto limit = outlet_ == nullptr ? longest_run : limit_of(*outlet_);
  const auto ns = runner.process_some(w, *items, limit);
  const auto finished = n - items->size();
  if (!items->empty()) {
    runner.upto = std::numeric_limits<std::int64_t>::min();
    items->position += static_cast<std::int64_t>(finished);
    rest_ = std::move(items);
    keeps_.store(true);
  } else {
    back_ = std::move(items);
  }
  w.soon = w.depth == 0;
  give(w, false);
  if (!rest_) keeps_.store(false);
  learn(finished, ns, finished < n);
  done(w, 0, finished);
  leave_loop(&w, static_cast<std::int64_t>(finished));
  if (whole) whole->ran(w, finished, ns, ns);
}

void line_node::finish(worker& w) {
  stages_->position = at_the_end;
  const auto limit = out.empty() ? longest_run : limit_of(out.front());
  for (auto s = first_; s < last_; ++s) stages_->finish(w, s, limit);
  w.soon = w.depth == 0;
  stages_->upto = never;
  give(w, false);
  end(w);
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
