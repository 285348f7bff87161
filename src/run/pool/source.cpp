// Who calls the source, how many items it is asked for at once, and what becomes of a chunk still being
// filled.
#include <thalweg/observe/clock.hpp>

#include <algorithm>

#include "engine.hpp"

namespace thalweg::run_detail::pooled {

bool pool_engine::try_source(worker& w) {
  if (!source_open()) return false;
  const bool end = state_->ending.load(std::memory_order_acquire);
  if (!end && (state_->paused() || !can_send(current_.load(std::memory_order_acquire)->source())))
    return false;
  if (first_item_ns() > 0 || (!end && !w.agent && reserved_.keeps_out(w.number))) return false;
  if (source_busy_.exchange(true, std::memory_order_acquire)) return false;
  const holding busy{source_busy_};
  auto* p = current_.load(std::memory_order_acquire);
  if (source_ended_.load(std::memory_order_acquire)) return false;
  if (state_->ending.load(std::memory_order_acquire)) {
    end_source(w, *p, busy);
    return true;
  }
  if (!can_send(p->source())) return false;
  if (!w.agent) reserved_.lift(w.number);
  if (starting_.load(std::memory_order_relaxed) && p->source().sent.load(std::memory_order_relaxed) > 0) {
    starting_.store(false, std::memory_order_relaxed);
    inlining_ = can_inline_ && quiet(*p);
  }
  if (want_inline_.load(std::memory_order_relaxed) && !inlining_) {
    if (!quiet(*p)) return false;
    want_inline_.store(false, std::memory_order_relaxed);
    inlining_ = true;
  }
  if (inlining_) {
    if (run_inline(w, *p)) {
      end_source(w, *p, busy);
      return true;
    }
    if (inlining_) return true;  // held up
    p = choose_partition();
    current_.store(p, std::memory_order_release);
  }
  take_grant(w, *p, busy);
  return true;
}

void pool_engine::take_grant(worker& w, partition& p, const holding& busy) {
  auto& n = p.source();
  const auto& q = n.parts.front();
  const auto& info = *state_->stages.front().info;
  auto& ctx = *w.contexts[q.component];
  const auto room = n.region_end->most_items - n.region_end->items.load(std::memory_order_relaxed);
  const std::size_t want =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(grant_.next()), 1, std::max<std::int64_t>(1, room));
  ctx.here = {&n, 0, 0, 0, 0};
  ctx.paced = info.source.paced;
  ctx.limit = info.source.pushes ? want : longest_grant;
  ctx.sample = state_->observes() && q.stages.last - q.stages.first > 1 && (w.tick++ & 15) == 0;
  chunk_ptr out = ends_in_sink(q) ? nullptr : chunks_.take(q.last(), w.chunks);
  const bool publish = out && (want > 1 || info.source.pushes);
  stopwatch time(w);
  const auto begin = time.began;
  if (out) out->born_ns = begin;
  if (publish) open(w, *out);
  model::produced made;
  const auto cpu = slow_source_ && attention_.doubts() ? observe::thread_cpu_ns() : 0;
  const bool ok = state_->guard(q.component, position(n), 0, [&] {
    made = state_->plan.components[q.component]->produce(q.stages, ctx, want, out.get());
  });
  if (publish) fill_.close();
  const auto end = observe::now_ns();
  const auto took = time.lap(end);
  const bool fused_sink = !out;
  // An item's life begins when the source hands it over, not when the source began to wait for it.
  if (out && made.items == 1) out->born_ns = end;
  ctx.collect(q.stages, took);
  trace(w, q, begin, end - begin, made.items, n.sent.load(std::memory_order_relaxed));
  if (!ok) throw thalweg::cancelled{};
  chunk_ptr c;
  if (out && !out->empty()) {
    const std::lock_guard hold(fill_.lock);
    number(n, *out);
    c = std::move(out);
  } else if (out) {
    chunks_.give_back(std::move(out), w.chunks);
  }
  plan_next_grant(p, made.items, took, fused_sink);
  if (starting_.load(std::memory_order_relaxed)) started_ns_ = end;
  const bool unknown = unknown_behind(p);
  const double work = c ? static_cast<double>(c->size()) * work_behind(p, &node::high) : 0;
  slow_source_ = static_cast<double>(took) > slow_call_ns * static_cast<double>(made.items);
  if (cpu != 0 && slow_source_) attention_.looked(took, observe::thread_cpu_ns() - cpu);
  const bool waited = slow_source_ && !attention_.works();
  const bool wanted = c && !made.ended && attention_.wanted(work, waited, end, info.source.paced);
  const auto pass_on = [&] {
    if (w.agent) {
      hand_over(w, n.next, std::move(c));
    } else {
      carry(w, n.next, std::move(c));
    }
  };
  if (made.ended) {
    if (c) pass_on();  // end hooks may wait for the room that it takes
    end_source(w, p, busy);
    return;
  }
  if (c && !w.agent && waited && !wanted && !unknown && work <= worth_a_call_ns)
    reserved_.make(w.number, end + 2 * static_cast<std::int64_t>(work));
  busy.release();
  if (!c) return;
  if (!w.agent && (wanted || unknown)) recruit(w);
  pass_on();
}

void pool_engine::plan_next_grant(const partition& p, std::size_t items, std::int64_t took, bool fused_sink) {
  if (items == 0) return;
  const auto per_call = static_cast<double>(took) / static_cast<double>(items);
  const auto work = work_behind(p, &node::per_item) + (fused_sink ? per_call : 0);
  grant_.gave(items, per_call, items);
  grant_.plan(unknown_behind(p) ? grant_ns : work);
  // So cheap that one worker would be faster alone?
  if (can_inline_ && !want_inline_.load(std::memory_order_relaxed)) {
    const bool cheap = per_call > slow_call_ns ? work < wake_ns / 2 : work + per_call < inline_below_ns / 2;
    cheap_grants_ = cheap ? cheap_grants_ + 1 : 0;
    if (cheap_grants_ >= patience_) {
      cheap_grants_ = 0;
      patience_ = std::min(patience_ * 2, most_grants_before_inline);
      want_inline_.store(true, std::memory_order_relaxed);
    }
  }
}

std::int64_t pool_engine::first_item_ns() const {
  if (!starting_.load(std::memory_order_acquire)) return 0;
  const auto& p = *current_.load(std::memory_order_acquire);
  if (p.source().sent.load(std::memory_order_acquire) == 0 || quiet(p)) return 0;
  return started_ns_ + static_cast<std::int64_t>(grant_ns) - observe::now_ns();
}

bool pool_engine::quiet(const partition& p) {
  const node* from = &p.source();
  while (!from->last) {
    const node* to = from->region_end;
    if (to->inbox.next() != from->sent.load(std::memory_order_acquire)) return false;
    if (to->busy.load(std::memory_order_acquire)) return false;
    from = to;
  }
  return true;
}

double pool_engine::work_behind(const partition& p, std::atomic<double> node::*which) {
  double sum = 0;
  for (std::size_t i = 1; i < p.nodes.size(); ++i) {
    const auto& n = *p.nodes[i];
    if (n.agents.empty()) sum += (n.*which).load(std::memory_order_relaxed);
  }
  return sum;
}

bool pool_engine::unknown_behind(const partition& p) {
  bool any = false;
  for (std::size_t i = 1; i < p.nodes.size(); ++i) {
    const auto& n = *p.nodes[i];
    if (!n.agents.empty() || n.parts.empty()) continue;
    if (n.per_item.load(std::memory_order_relaxed) != 0) return false;
    any = true;
  }
  return any;
}

void pool_engine::open(worker& w, pipe::chunk_base& out) {
  if (!fill_.open(out, w.agent ? fill::nobody : static_cast<int>(w.number))) recruit(w);
}

bool pool_engine::steal(worker& w, bool watcher) {
  chunk_ptr c;
  node* next = nullptr;
  {
    const std::lock_guard hold(fill_.lock);
    auto& n = current_.load(std::memory_order_acquire)->source();
    auto* open = fill_.opened();
    if (open == nullptr || open->empty() || !can_send(n)) return false;
    if (watcher) fill_.relieve();
    c = chunks_.take(n.parts.front().last(), w.chunks);
    open->steal(*c);
    c->born_ns = open->born_ns;
    number(n, *c);
    next = n.next;
  }
  if (watcher) recruit(w);  // somebody else shall watch what is filled meanwhile
  carry(w, next, std::move(c));
  return true;
}

void pool_engine::flush_source(worker& w, pool_context& ctx, node& n, std::size_t stage,
                               pipe::chunk_base& out) {
  const auto place = ctx.here;
  const auto& p = *current_.load(std::memory_order_acquire);
  const auto& info = *state_->stages.front().info;
  chunk_ptr c = chunks_.take(stage, w.chunks);
  wait_for_room(w, n);
  {
    const std::lock_guard hold(fill_.lock);
    out.steal(*c);
    out.clear();
    c->born_ns = out.born_ns;
    if (!c->empty()) number(n, *c);
  }
  const auto now = observe::now_ns();
  if (info.source.pushes) {
    plan_next_grant(p, c->size(), flushed_ns_ != 0 ? now - flushed_ns_ : 0, false);
    ctx.limit = grant_.next();
  }
  if (!c->empty()) {
    const saved keep(ctx);
    push_on(w, n, std::move(c));
  } else {
    chunks_.give_back(std::move(c), w.chunks);
  }
  ctx.here = place;
  flushed_ns_ = observe::now_ns();
  const std::lock_guard hold(fill_.lock);  // a thief may be reading it
  out.born_ns = flushed_ns_;
}

void pool_engine::push_on(worker& w, node& n, chunk_ptr c) {
  node* to = n.next;
  const bool others = w.agent || idle_->idle_count() > 0 ||
                      spawned_.load(std::memory_order_relaxed) < workers_ ||
                      (!to->serial() && to->ready_count.load(std::memory_order_relaxed) < 2);
  const auto work = static_cast<double>(c->size()) *
                    work_behind(*current_.load(std::memory_order_acquire), &node::per_item);
  const bool alone = workers_ == 1 && !w.agent;
  if (!alone && !to->serial() && others && (w.agent || work > wake_ns || work == 0)) {
    hand_over(w, to, std::move(c));
  } else {
    carry(w, to, std::move(c));
  }
}

void pool_engine::send_from_source(worker& w, node& n, chunk_ptr c) {
  wait_for_room(w, n);
  {
    const std::lock_guard hold(fill_.lock);
    number(n, *c);
  }
  hand_over(w, n.next, std::move(c));
}

bool pool_engine::finish_source(worker& w, partition& p) {
  auto& n = p.source();
  const bool ok = finish_stages(w, n, 0, [&](chunk_ptr c) { send_from_source(w, n, std::move(c)); });
  n.region_end->upstream_end.store(n.sent.load(std::memory_order_relaxed), std::memory_order_release);
  return ok;
}

void pool_engine::end_source(worker& w, partition& p, const holding& busy) {
  source_ended_.store(true, std::memory_order_release);
  if (!finish_source(w, p)) throw thalweg::cancelled{};
  busy.release();
  carry_end(w, *p.source().region_end);
}

}  // namespace thalweg::run_detail::pooled
