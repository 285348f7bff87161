#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/membarrier.hpp>

#include <algorithm>
#include <mutex>

#include "nodes.hpp"

namespace thalweg::run_detail::network {

namespace {

constexpr std::size_t most_at_once = 256;  // items of a source that may wait in any call
constexpr std::int64_t quick_ns = 1'000;   // an item of a source that does not wait
constexpr std::size_t quick_calls_per_item = 64;
constexpr std::int64_t positions_per_item = 1024;

}  // namespace

line_node::line_node(net& n, std::vector<part> parts)
    : node(n, parts.front().first, parts.back().first + parts.back().stages.last - parts.back().stages.first),
      parts_(std::move(parts)),
      is_source_(n.run().stages[first_].info->in == nullptr) {}

void line_node::prepare(worker& w) {
  if (lane_) return;
  auto& run = net_.run();
  if (!out.empty()) {
    auto& o = out.front();
    const auto& p = parts_.back();
    o.filling = run.plan.components[p.component]->make_chunk(p.stages.last - 1);
    o.filling->ranked = o.to != nullptr && o.to->ranked;
  }
  lane_ = std::make_unique<lane>(net_, parts_, 0, out.empty() ? nullptr : out.front().filling.get(), *this);
  lane_->paced = paced;
  if (!out.empty() && out.front().to != nullptr) lane_->limit_bytes = out.front().to->run_bytes();
  lane_->start(w);
  if (!is_source_) return;
  const auto& info = *run.stages[first_].info;
  eager_ = info.source.eager && !info.source.pushes;
  each_ = !eager_ && !out.empty();
  if (each_ && out.front().to != nullptr) out.front().to->lend(out.front().filling.get());
}

bool line_node::ready() {
  if (ended()) return false;
  if (is_source_) {
    const auto& run = net_.run();
    if (source_ended_ || run.ending.load(std::memory_order_acquire)) return ask_for_room();
    return !run.paused() && ask_for_room();
  }
  if (lane_ && lane_->deadline() <= observe::now_ns()) return ask_for_room();
  return (may_take(0) || inputs_ended()) && ask_for_room();
}

void line_node::execute(worker& w) {
  prepare(w);
  if (lane_->deadline() <= observe::now_ns()) {
    lane_->fire_timers(w, longest_run);
    w.soon = w.depth == 0;
    give(w, false);
  }
  if (is_source_) {
    const auto& run = net_.run();
    if (source_ended_ || run.ending.load(std::memory_order_acquire)) {
      finish(w);
    } else if (!run.paused() && outputs_have_room()) {
      produce(w);
    }
  } else if (may_take(0)) {
    if (outputs_have_room()) take_items(w);
  } else if (inputs_ended()) {
    finish(w);
  }
}

// Items of a source that may wait are looked at one by one: they go as soon
// as the receiver has nothing to do, or are so many that it is worth while; if the receiver runs out of work
// in between, it takes them itself.
bool line_node::collects() {
  const auto& o = out.front();
  if (!each_ || o.to == nullptr || o.to->bounds_bytes() || o.filling->size() >= longest_filling_)
    return false;
  pipe::light_fence();  // pairs with the heavy one of a receiver that falls asleep
  return !o.to->to->hungry(o.to->to_port);
}

void line_node::give(worker& w, bool in_call) {
  if (out.empty()) return;
  auto& o = out.front();
  auto& items = *o.filling;
  if (o.to != nullptr && in_call && !o.to->has_room()) net_.wait_for_room(w, *o.to);
  std::unique_lock<pipe::spinlock> hold;
  if (each_ && o.to != nullptr) hold = std::unique_lock(o.to->lending());
  items.position = lane_->position;
  // What else a source gives in the same call was born after what has gone already.
  items.born_ns = lane_->born_ns != 0 ? lane_->born_ns : observe::now_ns();
  // In the middle of a run of items the rest of it is still to come.
  items.upto = in_call ? std::numeric_limits<std::int64_t>::min() : lane_->upto;
  if (is_source_) lane_->born_ns = 0;
  if (items.empty() && (o.to == nullptr || !o.to->ranked)) return;
  hand_over(&w, o);
}

void line_node::produce(worker& w) {
  auto* const e = out.empty() ? nullptr : out.front().to;
  const auto grant = e != nullptr ? e->grant() : longest_run;
  longest_filling_ = std::min(grant, most_at_once);
  auto n = std::min(run_length_, std::max<std::size_t>(grant, 1));
  // With one thread for everything nobody can take what the source has given while it waits: it is asked for
  // more than one item at a time only after it has been quick for long.
  if (!eager_ && e != nullptr && net_.how().alone()) n = std::min(n, 1 + streak_ / quick_calls_per_item);
  // Whoever waits below in the middle of a call shall not be kept waiting by a full pipe in front of us.
  if (w.depth > 0) n = std::min(n, std::max<std::size_t>(longest_filling_, 1));
  lane_->position = made_ * positions_per_item;
  const auto got = lane_->produce(w, n, each_ ? 1 : std::max<std::size_t>(grant, n) + 1);
  made_ += static_cast<std::int64_t>(got.items);
  source_ended_ = got.ended;
  run_length_ = lane_->worked_ns < run_ns ? std::min(2 * run_length_, longest_run)
                                          : std::max<std::size_t>(1, run_length_ / 2);
  const bool quick =
      lane_->took_ns < quick_ns * static_cast<std::int64_t>(std::max<std::size_t>(1, got.items));
  streak_ = quick ? streak_ + got.items : 0;
  w.soon = w.depth == 0;
  give(w, false);
}

void line_node::take_items(worker& w) {
  auto items = take(w, 0, std::move(back_));
  if (!items) return;
  const auto n = items->size();
  lane_->position = items->position;
  lane_->born_ns = items->born_ns;
  lane_->upto = items->upto;
  const auto limit = out.empty() ? longest_run : limit_of(out.front());
  const auto ns = lane_->process(w, *items, limit);
  back_ = std::move(items);
  w.soon = w.depth == 0;
  give(w, false);
  learn(n, ns);
  leave_loop(w, n);
}

void line_node::finish(worker& w) {
  lane_->position = at_the_end;
  const auto limit = out.empty() ? longest_run : limit_of(out.front());
  for (auto s = first_; s < last_; ++s) lane_->finish(w, s, limit);
  w.soon = w.depth == 0;
  lane_->upto = never;
  give(w, false);
  end(w);
}

}  // namespace thalweg::run_detail::network
