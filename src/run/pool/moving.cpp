// How a chunk gets from the source to the sink: carried as far as it goes, left to others, put in order,
// dealt out.
#include <thalweg/observe/clock.hpp>

#include <algorithm>

#include "engine.hpp"

namespace thalweg::run_detail::pooled {

void pool_engine::flush(worker& w, pool_context& ctx, std::size_t leaf, pipe::chunk_base& out) {
  if (ctx.interrupted()) throw thalweg::cancelled{};
  const elsewhere away(w);
  auto place = ctx.here;
  node& n = *place.at;
  const auto stage = ctx.first_stage + leaf;
  if (n.index == 0 && leaf + 1 == n.parts.front().stages.last) {
    flush_source(w, ctx, n, stage, out);
    return;
  }
  if (!n.serial() && !wait_for_turn(w, n, place.seq)) {
    const auto each = std::max<std::size_t>(1, out.bytes() / out.size());
    ctx.limit = out.size() + std::clamp<std::size_t>(longest_grant_bytes / each, 1, longest_grant);
    return;
  }
  ctx.limit = longest_grant;
  auto c = chunks_.take(stage, w.chunks);
  out.move_items(0, out.size(), *c);
  out.clear();
  const saved keep(ctx);
  // A hook in the middle of a loop: the other stages of the loop come first.
  c = behind(ctx, n.parts[place.part], leaf, place.replica, std::move(c));
  if (!c || c->empty()) return chunks_.give_back(std::move(c), w.chunks);
  c->seq = place.seq;
  c->position = place.position;
  c->born_ns = place.born_ns;
  if (place.part + 1 < n.parts.size()) c = execute(w, n, std::move(c), place.replica, place.part + 1);
  if (n.index == 0) {
    send_from_source(w, n, std::move(c));
  } else if (n.serial()) {
    send(w, n, std::move(c));
  } else {
    deliver(w, n, std::move(c));
  }
}

void pool_engine::sleep_through_pause(worker& w, pool_context& ctx) {
  const saved keep(ctx);
  const elsewhere away(w);
  while (state_->wait_while_paused(std::chrono::nanoseconds{0})) {
    steal(w, false);
    if (help(w, 0)) continue;
    // What threads of their own hand on meanwhile may be for this one.
    (void)state_->wait_while_paused(std::chrono::milliseconds{1});
  }
}

void pool_engine::number(node& n, pipe::chunk_base& c) {
  c.seq = n.sent.load(std::memory_order_relaxed);
  if (n.index == 0) c.position = position(n);
  c.charged_items = c.charged_bytes = 0;
  charge(*n.region_end, c);
  n.sent.store(c.seq + 1, std::memory_order_release);
}

void pool_engine::charge(node& d, pipe::chunk_base& c) {
  const auto items = static_cast<std::int64_t>(c.size());
  const auto bytes = static_cast<std::int64_t>(c.bytes());
  const auto more_items = items - std::exchange(c.charged_items, items);
  const auto more_bytes = bytes - std::exchange(c.charged_bytes, bytes);
  if (more_items != 0) d.items.fetch_add(more_items, std::memory_order_relaxed);
  if (more_bytes != 0) d.bytes.fetch_add(more_bytes, std::memory_order_relaxed);
}

void pool_engine::carry(worker& w, node* n, chunk_ptr c) {
  if (n->serial()) {
    deposit(w, *n, std::move(c));
    return;
  }
  if (!executes(w, *n)) {
    hand_over(w, n, std::move(c));
    return;
  }
  bool fresh = false;
  int replica = farm_slots::none;
  {
    const std::lock_guard hold(n->ready_lock);
    // Who waits was here first: the chunk that everything else waits for must never be behind others.
    if (n->ready.empty() && !n->dealt) replica = n->farm->acquire(w.number, fresh);
    if (replica == farm_slots::none) {
      n->ready.push_back(std::move(c));
      n->ready_count.store(n->ready.size(), std::memory_order_release);
      c = n->take_ready(w.number, replica, fresh);
    }
  }
  if (c) carry_on(w, *n, std::move(c), replica, fresh);
}

void pool_engine::carry_on(worker& w, node& n, chunk_ptr c, int replica, bool fresh) {
  if (fresh) start_farm(n.farm, replica);
  const auto items = c->size();
  stopwatch time(w);
  c = execute(w, n, std::move(c), replica, 0);
  const auto took = time.lap(observe::now_ns());
  charge(*n.region_end, *c);
  n.farm->release(replica);
  progress_.made();
  if (n.ready_count.load(std::memory_order_acquire) > 0) recruit_for(w, n);
  learn(n, items, took);
  carry(w, n.next, std::move(c));
}

void pool_engine::hand_over(worker& w, node* n, chunk_ptr c) {
  if (n->serial()) {
    deposit(w, *n, std::move(c));
    return;
  }
  {
    const std::lock_guard hold(n->ready_lock);
    n->ready.push_back(std::move(c));
    n->ready_count.store(n->ready.size(), std::memory_order_release);
  }
  notify(w, *n);
}

void pool_engine::deposit(worker& w, node& n, chunk_ptr c) {
  if (n.unordered) c->seq = n.arrivals.fetch_add(1, std::memory_order_relaxed);
  const auto seq = c->seq;
  n.inbox.deposit(seq, std::move(c));
  if (executes(w, n)) {
    drain(w, n);
  } else if (n.inbox.ready()) {
    notify(w, n);
  }
}

bool pool_engine::drain(worker& w, node& n) {
  bool did = false;
  while (n.inbox.try_acquire()) {
    n.busy.store(true, std::memory_order_relaxed);
    chunk_ptr c;
    chunk_ptr out;
    while (can_send(n) && n.inbox.take(c)) {
      did = true;
      if (state_->observes()) sample_levels(w, n);
      n.items.fetch_sub(c->charged_items, std::memory_order_relaxed);
      n.bytes.fetch_sub(c->charged_bytes, std::memory_order_relaxed);
      progress_.made();
      const auto items = c->size();
      stopwatch time(w);
      out = n.parts.empty() ? std::move(c) : execute(w, n, std::move(c), 0, 0);
      if (!n.parts.empty()) learn(n, items, time.lap(observe::now_ns()));
      if ((n.inbox.next() & 15) == 0) call_upstream(w, n);
      if (n.deals()) {
        deal(w, n, *out);
      } else if (!n.last && out && !out->empty()) {
        number(n, *out);
        break;
      }
      chunks_.give_back(std::move(out), w.chunks);
    }
    if (calls_for_hooks(n)) notify(w, *n.own_farm);
    if (!out && is_complete(n) && close(n)) {
      did = true;
      finish_node(w, n);
    }
    n.busy.store(false, std::memory_order_release);
    const bool more = n.inbox.release();
    progress_.made();
    if (did) call_upstream(w, n);
    if (out) {
      if (more && can_send(n) && !w.agent) recruit(w);
      if (w.agent) {
        hand_over(w, n.next, std::move(out));
        continue;
      }
      carry(w, n.next, std::move(out));
      return true;
    }
    if (!more || !can_send(n)) return did;
  }
  return did;
}

void pool_engine::deal(worker& w, node& n, pipe::chunk_base& c) {
  const auto& stage = state_->stages[first_stage(n)];
  const auto& how = stage.info->opts.schedule;
  const auto replicas = static_cast<std::size_t>(n.next->farm->allowed());
  const auto replica_for = [&](std::size_t item) {
    if (how.how() == schedule::kind::round_robin) return n.turn++ % replicas;
    std::size_t to = 0;
    if (!state_->guard(stage.component, position(c, item), 0, [&] {
          model::frame<model::mode::plain>::attribute(stage.stage, [&] { to = how(c.at(item), replicas); });
        })) {
      throw thalweg::cancelled{};
    }
    return to;
  };
  const auto size = c.size();
  std::size_t first = 0;
  auto to = size > 0 ? replica_for(0) : 0;
  for (std::size_t i = 1; i <= size; ++i) {
    const auto then = i < size ? replica_for(i) : replicas;
    if (then == to) continue;
    auto piece = chunks_.take(c.home, w.chunks);
    c.move_items(first, i, *piece);
    piece->position = position(c, first);
    piece->born_ns = c.born_ns;
    piece->replica = static_cast<int>(to);
    first = i;
    to = then;
    send(w, n, std::move(piece));
  }
}

void pool_engine::send(worker& w, node& n, chunk_ptr c) {
  if (!c || c->empty() || n.last) {
    chunks_.give_back(std::move(c), w.chunks);
    return;
  }
  wait_for_room(w, n);
  number(n, *c);
  if (!w.agent && workers_ == 1) {
    carry(w, n.next, std::move(c));
  } else {
    push_on(w, n, std::move(c));
  }
}

void pool_engine::deliver(worker& w, node& n, chunk_ptr c) {
  auto& d = *n.region_end;
  for (node* m = n.next; m != &d; m = m->next) {
    bool fresh = false;
    int replica = m->farm->acquire(w.number, fresh);
    if (replica == farm_slots::none) {
      const waiter here(d.waiters);  // for a replica: it may be held by one that waits for its turn
      progress::wait moved(progress_);
      while ((replica = m->farm->acquire(w.number, fresh)) == farm_slots::none) {
        if (state_->cancelled.load(std::memory_order_acquire)) throw thalweg::cancelled{};
        if (!help(w, m->index)) moved.sleep();
      }
    }
    if (fresh) start_farm(m->farm, replica);
    c = execute(w, *m, std::move(c), replica, 0);
    m->farm->release(replica);
    progress_.made();
  }
  if (d.last && d.parts.empty()) {
    chunks_.give_back(std::move(c), w.chunks);
    return;
  }
  if (w.finishing == &d) {  // its inbox is ours already
    auto out = execute(w, d, std::move(c), 0, 0);
    if (d.deals()) {
      deal(w, d, *out);
      chunks_.give_back(std::move(out), w.chunks);
    } else {
      send(w, d, std::move(out));
    }
    return;
  }
  if (!d.inbox.try_acquire()) {
    progress::wait moved(progress_);
    while (!d.inbox.try_acquire()) {
      if (state_->cancelled.load(std::memory_order_acquire)) throw thalweg::cancelled{};
      if (!help(w, d.index)) moved.sleep();
    }
  }
  d.busy.store(true, std::memory_order_relaxed);
  wait_for_room(w, d);
  auto out = execute(w, d, std::move(c), 0, 0);
  if (d.deals()) deal(w, d, *out);
  if (!d.deals() && !d.last && out && !out->empty()) {
    number(d, *out);
  } else {
    chunks_.give_back(std::move(out), w.chunks);
  }
  d.busy.store(false, std::memory_order_release);
  const bool more = d.inbox.release();
  progress_.made();
  if (out) carry(w, d.next, std::move(out));
  if (more) drain(w, d);
}

void pool_engine::wait_for_room(worker& w, node& n) {
  if (can_send(n)) return;
  const auto begin = observe::now_ns();
  bool waited = false;
  progress::wait moved(progress_);
  while (!can_send(n)) {
    if (state_->cancelled.load(std::memory_order_acquire)) throw thalweg::cancelled{};
    if (help(w, n.index)) continue;
    waited = true;
    moved.sleep();
  }
  if (waited && !n.parts.empty())
    (*w.log)[n.parts.front().first].wait_out_ns.add_ns(observe::now_ns() - begin);
}

bool pool_engine::wait_for_turn(worker& w, const node& n, std::int64_t seq) {
  auto& d = *n.region_end;
  if (w.finishing == &d || d.unordered || d.inbox.next() >= seq) return true;
  progress::wait moved(progress_);
  auto patient_until = observe::now_ns() + patience_ns;
  while (d.inbox.next() < seq) {
    if (state_->cancelled.load(std::memory_order_acquire)) throw thalweg::cancelled{};
    if (!help(w, d.index - 1)) moved.sleep();
    const auto now = observe::now_ns();
    if (!first_wants_replica(d)) {
      patient_until = now + patience_ns;
    } else if (now > patient_until) {
      return false;
    }
  }
  return true;
}

bool pool_engine::first_wants_replica(node& d) {
  if (d.waiters.load(std::memory_order_relaxed) > 0) return true;
  const auto first = d.inbox.next();
  for (node* m = d.region_begin->next; m != &d; m = m->next) {
    if (m->ready_count.load(std::memory_order_relaxed) == 0) continue;
    const std::lock_guard hold(m->ready_lock);
    if (std::any_of(m->ready.begin(), m->ready.end(), [&](const auto& c) { return c->seq == first; }))
      return true;
  }
  return false;
}

void pool_engine::call_upstream(worker& w, const node& n) {
  node& from = *n.region_begin;
  if (executes(w, from) && (!w.agent || from.own_farm == nullptr)) return;
  const bool waits = from.index == 0 ? source_open() && !state_->paused() && can_send(from)
                                     : is_drainable(from) || is_due(from);
  if (waits) notify(w, from);
}

void pool_engine::notify(worker& w, node& n) {
  if (n.agents.empty()) {
    recruit(w);
    return;
  }
  for (const auto a : n.agents) {
    if (idle_agents_->wake(a)) {
      w.log->work.wakes.add();
      if (!n.serial()) return;
    }
  }
}

void pool_engine::recruit_for(worker& w, node& n) {
  if (n.agents.empty()) {
    if (!w.agent && idle_->idle_count() > 0) recruit(w);
    if (w.agent) recruit(w);
  }
}

chunk_ptr pool_engine::execute(worker& w, node& n, chunk_ptr c, int replica, std::size_t from) {
  const bool timed = state_->observes() || state_->trace;
  stopwatch time(w, timed);
  for (std::size_t i = from; i < n.parts.size(); ++i) {
    const auto& q = n.parts[i];
    auto& ctx = *w.contexts[q.component];
    const saved keep(ctx);
    ctx.here = {&n, i, c->seq, c->position, c->born_ns, replica};
    ctx.paced = c->paced;
    ctx.limit = std::max<std::size_t>(longest_grant, 2 * c->size());
    ctx.limit_bytes = longest_grant_bytes;
    ctx.sample = state_->observes() && q.stages.last - q.stages.first > 1 && (w.tick++ & 15) == 0;
    const bool sink = ends_in_sink(q);
    chunk_ptr out = sink ? nullptr : chunks_.take(q.last(), w.chunks);
    const auto items = c->size();
    const bool ok = state_->guard(q.component, c->position, replica, [&] {
      state_->plan.components[q.component]->process(q.stages, static_cast<std::size_t>(replica), ctx, *c,
                                                    out.get());
    });
    const auto begin = time.began;
    const auto end = timed ? observe::now_ns() : 0;
    const auto arrived = sink ? ctx.arrived_at(q.stages.last - 1) : 0;
    ctx.collect(q.stages, timed ? time.lap(end) : 0);
    trace(w, q, begin, end - begin, items, c->seq);
    if (!ok) throw thalweg::cancelled{};
    if (sink) {
      if (!c->paced && arrived > 0) w.log->arrived(end - c->born_ns, arrived);
      c->clear();
    } else {
      out->seq = c->seq;
      out->position = c->position;
      out->born_ns = c->born_ns;
      out->charged_items = c->charged_items;
      out->charged_bytes = c->charged_bytes;
      chunks_.give_back(std::move(c), w.chunks);
      c = std::move(out);
    }
  }
  return c;
}

void pool_engine::learn(node& n, std::size_t items, std::int64_t took) {
  if (items == 0) return;
  const auto each = static_cast<double>(took) / static_cast<double>(items);
  const auto mean = n.per_item.load(std::memory_order_relaxed);
  n.per_item.store(mean == 0 ? each : mean + (each - mean) / 4, std::memory_order_relaxed);
  n.high.store(std::max(each, n.high.load(std::memory_order_relaxed) * 0.95), std::memory_order_relaxed);
}

std::size_t pool_engine::first_stage(const node& n) const {
  if (!n.parts.empty()) return n.parts.front().first;
  return n.next != nullptr ? n.next->parts.front().first : state_->stages.size() - 1;
}

void pool_engine::sample_levels(worker& w, node& n) {
  auto& stats = (*w.log)[first_stage(n)];
  if (!n.only_orders()) {
    const auto waiting =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, n.items.load(std::memory_order_relaxed)));
    stats.occupancy.sample(waiting);
    if (state_->trace)
      state_->trace->level(static_cast<std::size_t>(w.log->number), first_stage(n), observe::now_ns(),
                           waiting);
  }
  if (n.region_begin->next == &n) return;  // nothing can overtake
  const auto seen = n.inbox.displaced();
  stats.displacement.sample(static_cast<std::uint64_t>(seen.total - n.displaced));
  n.displaced = seen.total;
  if ((seen.taken & 15) == 0) stats.reorder.sample(n.inbox.waiting());
}

void pool_engine::trace(worker& w, const part& q, std::int64_t begin, std::int64_t took, std::size_t items,
                        std::int64_t seq) {
  if (state_->trace)
    state_->trace->record(w.log->number, q.first, begin, begin + took, items, seq,
                          q.stages.last - q.stages.first);
}

void pool_context::flush(std::size_t leaf, pipe::chunk_base& out) {
  engine_.flush(worker_, *this, leaf, out);
}
void pool_context::wait_while_paused() {
  engine_.sleep_through_pause(worker_, *this);
}

}  // namespace thalweg::run_detail::pooled
