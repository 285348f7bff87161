#include "agent.hpp"

#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "worker.hpp"

namespace thalweg::run_detail::dedicated {

namespace {

constexpr auto never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t at_the_end = never / 2;     // the position of what end hooks send
constexpr std::int64_t run_ns = 50'000;            // of work between two looks at the clock, in one loop
constexpr std::int64_t hand_on_ns = 20'000;        // of work between two of its stages
constexpr std::int64_t most_at_once = 256;         // items
constexpr std::int64_t positions_per_item = 1024;  // an item may become so many chunks before positions tie

}  // namespace

// --- what operators ask for while they run ---

class agent::own_context final : public thread_context {
 public:
  own_context(agent& a, run_state& r, thread_log& l, std::size_t c) : thread_context(r, l, c), agent_(a) {}
  void flush(std::size_t leaf, pipe::chunk_base& out) override { agent_.flushed(*this, leaf, out); }
  void wait_while_paused() override {
    agent_.wait_until([this] { return agent_.ready(); });
  }

  // What one call changes, and the one around it wants back.
  class saved {
   public:
    explicit saved(own_context& c)
        : ctx_(c), due_(c.due), limit_(c.limit), paced_(c.paced), sample_(c.sample) {}
    saved(const saved&) = delete;
    saved& operator=(const saved&) = delete;
    ~saved() {
      ctx_.due = due_;
      ctx_.limit = limit_;
      ctx_.paced = paced_;
      ctx_.sample = sample_;
    }

   private:
    own_context& ctx_;
    std::int64_t due_;
    std::size_t limit_;
    bool paced_, sample_;
  };

 private:
  agent& agent_;
};

// The time of one call, without what is spent waiting or in calls inside it.
class agent::stopwatch {
 public:
  explicit stopwatch(agent& a) : agent_(a), before_(a.not_worked_ns_) {}

  /// Stops; returns the time of the call alone.
  std::int64_t stop() {
    end_ = agent_.ended_ns_ = observe::now_ns();
    const auto inside = std::exchange(agent_.not_worked_ns_, before_ + (end_ - begin_)) - before_;
    return end_ - begin_ - inside;
  }
  [[nodiscard]] std::int64_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::int64_t end() const noexcept { return end_; }

 private:
  agent& agent_;
  const std::int64_t before_;
  const std::int64_t begin_ = observe::now_ns();
  std::int64_t end_ = 0;
};

agent::agent(run_state& run, const node& n, std::size_t replica, worker& w, inlet* in, outlet* out)
    : run_(run),
      node_(n),
      replica_(replica),
      worker_(w),
      in_(in),
      out_(out),
      between_(n.last - n.first),
      paced_(run.stages.front().info->source.paced) {
  if (in != nullptr) in->belongs_to(*this);
  if (out != nullptr) out->belongs_to(*this);
  for (auto s = n.first; s < n.last; ++s) {
    if (run.stages[s].info->timed) timed_.push_back(run.stages[s]);
  }
  w.add(*this);
}

agent::~agent() = default;

agent::own_context& agent::context(std::size_t component) const {
  return *contexts_[component - node_.parts.front().component];
}

// The loop that begins at a stage: a part, or, where a part is entered in the middle, the stage alone.
part agent::part_at(std::size_t stage) const {
  for (const auto& p : node_.parts) {
    if (p.first == stage) return p;
  }
  const auto& s = run_.stages[stage];
  return {s.component, {s.stage, s.stage + 1}, stage};
}

// Calls `f`; what it throws ends the run. Returns false if it threw.
template <class F> bool agent::guarded(std::size_t component, F&& f) {
  return run_.guard(component, position_, static_cast<int>(replica_), std::forward<F>(f));
}
// The same; a failure comes out as cancelled.
template <class F> void agent::attempt(std::size_t component, F&& f) {
  if (!guarded(component, std::forward<F>(f))) throw thalweg::cancelled{};
}

void agent::begin(thread_log& log) {
  log_ = &log;
  for (const auto& p : node_.parts) {
    while (contexts_.size() <= p.component - node_.parts.front().component) {
      const auto c = node_.parts.front().component + contexts_.size();
      contexts_.push_back(std::make_unique<own_context>(*this, run_, log, c));
    }
  }
  for (const auto& p : node_.parts) {
    attempt(p.component, [&] { run_.plan.components[p.component]->start(p.stages, replica_); });
  }
}

// --- waiting ---

bool agent::ready() {
  if (timer_is_due()) return true;
  return in_ != nullptr ? in_->ready() : may_call_source();
}

bool agent::may_call_source() const {
  return !run_.paused() || run_.ending.load(std::memory_order_acquire);
}

std::int64_t agent::deadline() const {
  // In an ordered region nothing can be sent but in the place of a message.
  return out_ != nullptr && out_->relays() ? never : next_timer();
}

bool agent::timer_is_due() const {
  return !timed_.empty() && deadline() <= observe::now_ns();
}

std::int64_t agent::next_timer() const {
  auto when = never;
  for (const auto& s : timed_)
    when = std::min(when, run_.plan.components[s.component]->deadline(s.stage, replica_));
  return when;
}

void agent::idled(std::int64_t ns) noexcept {
  if (node_.first < node_.last) (*log_)[node_.first].wait_in_ns.add_ns(ns);
}

void agent::wait_until(const std::function<bool()>& ready) {
  const auto begin = observe::now_ns();
  struct counting {
    agent& self;
    std::int64_t begin;
    ~counting() {
      const auto took = observe::now_ns() - begin;
      self.not_worked_ns_ += took;
      if (self.node_.first < self.node_.last) (*self.log_)[self.node_.last - 1].wait_out_ns.add_ns(took);
    }
  } const counted{*this, begin};
  worker_.wait_until(*this, ready);
}

bool agent::ring() noexcept {
  return worker_.ring();
}
void agent::woke() noexcept {
  worker_.woke();
}

// --- working ---

void agent::step() {
  if (timer_is_due()) fire_timers();
  if (in_ == nullptr) {
    if (may_call_source()) produce();
    return;
  }
  parcel p;
  switch (in_->next(p)) {
    case inlet::got::items:
      take(std::move(p));
      break;
    case inlet::got::end:
      finish();
      return;
    case inlet::got::nothing:
      break;
  }
  if (out_ != nullptr && !in_->ready()) out_->rest();
}

void agent::take(parcel p) {
  const bool relays = out_ != nullptr && out_->relays();
  if (relays) {
    out_->begin_message(in_->message());
    if (!timed_.empty() && next_timer() <= observe::now_ns()) fire_timers();
  }
  const auto items = p.items ? p.items->size() : 0;
  if (items > 0) {
    position_ = p.items->position;
    born_ns_ = p.items->born_ns;
    paced_ = paced_ || p.items->paced;
    if (out_ != nullptr) out_->comes_from(position_, born_ns_);
    if (node_.first < node_.last) {
      const auto waiting = in_->count((*log_)[node_.first], p);
      if (run_.trace && waiting)
        run_.trace->level(static_cast<std::size_t>(log_->number), node_.first, observe::now_ns(), *waiting);
    }
    if (node_.parts.empty()) {
      pass_through(*p.items);
    } else {
      carry(node_.first, *p.items);
    }
    in_->costs(static_cast<double>(ended_ns_ - began_ns_) / static_cast<double>(items));
  }
  const bool last = p.last;
  in_->done(std::move(p));
  if (relays && last) out_->end_message();
}

// Runs items through the stages from `stage` on. They are left moved-from.
void agent::carry(std::size_t stage, pipe::chunk_base& items) {
  const auto p = part_at(stage);
  const auto next = behind(p);
  const bool last = next == node_.last;
  auto& component = *run_.plan.components[p.component];
  auto& ctx = context(p.component);
  // Taken out while it is in use: an operator that sends much comes back here before it returns.
  chunk_ptr inner;
  if (!last) {
    inner = std::move(between_[next - node_.first]);
    if (!inner) inner = component.make_chunk(p.stages.last - 1);
  }
  auto* const out = !last ? inner.get() : out_ != nullptr ? &out_->filling() : nullptr;
  const auto n = items.size();
  {
    const own_context::saved keep(ctx);
    ctx.paced = items.paced;
    ctx.limit = last ? 1 : inner_limit_;
    ctx.sample = run_.observes() && p.stages.last - p.stages.first > 1 && (ticks_++ & 15) == 0;
    stopwatch time(*this);
    if (stage == node_.first) began_ns_ = time.begin();
    const bool ok = guarded(p.component, [&] { component.process(p.stages, replica_, ctx, items, out); });
    const auto worked = time.stop();
    const auto arrived = out == nullptr ? ctx.arrived_at(p.stages.last - 1) : 0;
    ctx.collect(p.stages, worked);
    log_->work.busy_ns.add_ns(worked);
    if (run_.trace)
      run_.trace->record(static_cast<std::size_t>(log_->number), p.first, time.begin(), time.end(), n,
                         static_cast<std::uint64_t>(position_), p.stages.last - p.stages.first);
    if (!last && n > 0) {
      inner_limit_ = static_cast<std::size_t>(std::clamp<std::int64_t>(
          hand_on_ns * static_cast<std::int64_t>(n) / std::max<std::int64_t>(1, worked), 1, most_at_once));
    }
    if (!ok) throw thalweg::cancelled{};
    if (arrived > 0 && !items.paced) log_->arrived(time.end() - born_ns_, arrived);
  }
  if (last) return;
  if (!inner->empty()) carry(next, *inner);
  inner->clear();
  inner->paced = false;
  between_[next - node_.first] = std::move(inner);
}

// A node without stages deals the items out, one by one.
void agent::pass_through(pipe::chunk_base& items) {
  const auto bytes = items.bytes() / items.size();
  stopwatch time(*this);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (run_.cancelled.load(std::memory_order_relaxed)) throw thalweg::cancelled{};
    items.move_items(i, i + 1, out_->filling());
    out_->added(bytes);
  }
  began_ns_ = time.begin();
  time.stop();
}

// An output is full in the middle of a call; that of the last stage after each item.
void agent::flushed(own_context& ctx, std::size_t leaf, pipe::chunk_base& out) {
  if (ctx.interrupted()) throw thalweg::cancelled{};
  const auto next = ctx.first_stage + leaf + 1;
  if (next < node_.last) {
    carry(next, out);
    out.clear();
    return;
  }
  if (ctx.limit > 1) {
    out_->send_all();
    return;
  }
  const auto sent = out_->sent();
  out_->added(ctx.added_bytes);
  if (!flush_counts_) return;
  position_ += positions_per_item;
  out_->comes_from(position_, 0);
  if (out_->sent() != sent) ctx.quota->store(0, std::memory_order_relaxed);
}

// --- the source ---

void agent::produce() {
  if (source_ended_ || run_.ending.load(std::memory_order_acquire)) {
    finish();
    return;
  }
  const auto& p = node_.parts.front();
  auto& ctx = context(p.component);
  ctx.paced = run_.stages.front().info->source.paced;
  if (out_ == nullptr && node_.parts.size() == 1) {
    run_whole(ctx, p);
  } else {
    call_source(ctx, p);
  }
}

// Items go to other threads, or to other loops of this one. The source may wait in any call, so that nothing
// may be left behind where nobody can get it; unless its items are in memory already. So each item is flushed
// by itself. Where the source is alone in its loop that also tells how many it has given, and one call may
// ask for several.
void agent::call_source(own_context& ctx, const part& p) {
  auto& component = *run_.plan.components[p.component];
  const auto& info = *run_.stages.front().info;
  const auto next = behind(p);
  const bool direct = next == node_.last;
  const bool eager = direct && info.source.eager && p.stages.last == 1 && !out_->gated();
  const bool alone = direct && !eager && !info.source.pushes && p.stages.last == 1;
  auto& inner = between_[direct ? 0 : next - node_.first];
  if (!direct && !inner) inner = component.make_chunk(p.stages.last - 1);
  auto& to = direct ? out_->filling() : *inner;
  ctx.limit = eager ? out_->grant() + 1 : 1;
  ctx.limit_bytes = outlet::most_bytes;
  const auto sent = direct ? out_->sent() : 0;
  const auto before = made_;
  stopwatch time(*this);
  bool ok = true;
  flush_counts_ = alone;
  // A run of items between two looks at the clock ends when something is handed over.
  do {
    const auto n = eager   ? out_->grant()
                   : alone ? static_cast<std::size_t>(most_at_once - (made_ - before))
                           : 1;
    position_ = made_ * positions_per_item;
    if (out_ != nullptr) out_->comes_from(position_, 0);
    ctx.sample = run_.observes() && p.stages.last > 1 && (ticks_++ & 15) == 0;
    model::produced got;
    ok = guarded(p.component, [&] { got = component.produce(p.stages, ctx, n, &to); });
    if (!ok) break;
    made_ += static_cast<std::int64_t>(got.items);
    source_ended_ = got.ended;
    if (eager) out_->added_many();
    if (alone && got.items < n) break;  // somebody wants the thread back
  } while (direct && !eager && !source_ended_ && out_->sent() == sent && made_ - before < most_at_once &&
           !run_.ending.load(std::memory_order_relaxed) && !run_.paused());
  ctx.sample = false;
  flush_counts_ = false;
  const auto worked = std::max<std::int64_t>(0, time.stop() - ctx.waited_ns);
  ctx.collect(p.stages, worked + ctx.waited_ns);
  log_->work.busy_ns.add_ns(worked);
  if (run_.trace)
    run_.trace->record(static_cast<std::size_t>(log_->number), 0, time.begin(), time.end(),
                       static_cast<std::uint64_t>(made_ - before),
                       static_cast<std::uint64_t>(before * positions_per_item),
                       p.stages.last - p.stages.first);
  if (!ok) throw thalweg::cancelled{};
  if (direct) return;
  born_ns_ = time.end();
  if (!inner->empty()) {
    auto items = std::move(inner);
    carry(next, *items);
    items->clear();
    items->paced = false;
    inner = std::move(items);
  }
}

// From the source to the sink in one loop: nothing is ever left behind.
void agent::run_whole(own_context& ctx, const part& p) {
  auto& component = *run_.plan.components[p.component];
  position_ = made_ * positions_per_item;
  stopwatch time(*this);
  model::produced got;
  const bool ok = guarded(p.component, [&] {
    ctx.sample = run_.observes();
    got = component.produce(p.stages, ctx, 1, nullptr);
    ctx.sample = false;
    if (!ctx.paced && ctx.arrived_at(p.stages.last - 1) > 0) {
      std::int64_t through = 0;
      for (std::size_t i = 1; i < ctx.tallies.size(); ++i) through += ctx.tallies[i].sampled_ns;
      log_->arrived(through, 1, true);
    }
    if (got.ended || run_length_ == 1) return;
    const auto more = component.produce(p.stages, ctx, run_length_ - 1, nullptr);
    got = {got.items + more.items, more.ended};
  });
  made_ += static_cast<std::int64_t>(got.items);
  source_ended_ = got.ended;
  const auto worked = std::max<std::int64_t>(0, time.stop() - ctx.waited_ns);
  ctx.collect(p.stages, worked + ctx.waited_ns);
  log_->work.busy_ns.add_ns(worked);
  if (run_.trace)
    run_.trace->record(static_cast<std::size_t>(log_->number), 0, time.begin(), time.end(), got.items,
                       static_cast<std::uint64_t>(position_), p.stages.last - p.stages.first);
  if (!ok) throw thalweg::cancelled{};
  run_length_ = worked < run_ns ? std::min<std::size_t>(2 * run_length_, 8192)
                                : std::max<std::size_t>(1, run_length_ / 2);
}

// --- what comes without an item ---

void agent::fire_timers() {
  const auto now = observe::now_ns();
  for (const auto& s : timed_) {
    auto& component = *run_.plan.components[s.component];
    if (component.deadline(s.stage, replica_) > now) continue;
    const auto next = run_.first_of_component[s.component] + s.stage + 1;
    if (out_ != nullptr) out_->comes_from(position_, born_ns_);
    send_from(s.component, s.stage, next, [&](own_context& ctx, pipe::chunk_base* out) {
      component.on_time(s.stage, ctx, out, replica_);
    });
  }
}

// The end of the stream: the end hooks of all stages in order; what they send is the last.
void agent::finish() {
  const bool relays = out_ != nullptr && out_->relays();
  if (relays) out_->begin_message(in_->message());
  position_ = at_the_end;
  born_ns_ = observe::now_ns();
  if (out_ != nullptr) out_->comes_from(position_, born_ns_);
  for (auto i = node_.first; i < node_.last; ++i) {
    const auto& s = run_.stages[i];
    send_from(s.component, s.stage, i + 1, [&](own_context& ctx, pipe::chunk_base* out) {
      run_.plan.components[s.component]->finish(s.stage, replica_, ctx, out);
    });
  }
  if (relays) {
    out_->end_message();
  } else if (out_ != nullptr) {
    out_->close();
  }
  ended_ = true;
}

// Calls a hook of a stage that may send; what it sends goes on to stage `next`.
template <class F> void agent::send_from(std::size_t c, std::size_t stage, std::size_t next, F&& hook) {
  auto& component = *run_.plan.components[c];
  auto& ctx = context(c);
  const bool last = next == node_.last;
  const auto inner = last ? nullptr : component.make_chunk(stage);
  {
    const own_context::saved keep(ctx);
    ctx.paced = paced_;
    ctx.limit = last ? 1 : most_at_once;
    stopwatch time(*this);
    attempt(c, [&] { hook(ctx, last ? (out_ != nullptr ? &out_->filling() : nullptr) : inner.get()); });
    ctx.collect({stage, stage + 1}, time.stop());
  }
  if (inner && !inner->empty()) carry(next, *inner);
}

}  // namespace thalweg::run_detail::dedicated
