// What runs without an item: timers of batches, and the end hooks that follow the last chunk.
#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <limits>

#include "engine.hpp"

namespace thalweg::run_detail::pooled {

bool pool_engine::fire_timer(worker& w, node& n) {
  if (!n.inbox.try_acquire()) return false;
  bool did = false;
  if (is_due(n)) {
    did = true;
    const auto& q = n.parts.front();
    const auto hook = [&](model::context& ctx, pipe::chunk_base* out) {
      state_->plan.components[q.component]->on_time(q.stages.first, ctx, out);
    };
    if (!send_from(w, n, 0, q.stages.first, 0, hook, [&](chunk_ptr c) {
          number(n, *c);
          hand_over(w, n.next, std::move(c));
        })) {
      throw thalweg::cancelled{};
    }
  }
  if (n.inbox.release()) drain(w, n);
  return did;
}

bool pool_engine::fire_farm_timers(worker& w, node& n) {
  auto& d = *n.region_end;
  d.outside.fetch_add(1);
  std::vector<chunk_ptr> due;
  bool ok = true;
  if (!d.closing.load()) {
    for_each_timer(n, [&](std::size_t i, std::size_t s, int r) {
      bool fresh = false;
      if (!ok || observe::now_ns() < deadline(n, i, s, r) ||
          n.farm->acquire_this(r, fresh) == farm_slots::none) {
        return;
      }
      const auto& q = n.parts[i];
      const auto hook = [&](model::context& ctx, pipe::chunk_base* out) {
        state_->plan.components[q.component]->on_time(s, ctx, out, static_cast<std::size_t>(r));
      };
      ok = send_from(w, n, i, s, r, hook, [&](chunk_ptr c) { due.push_back(std::move(c)); });
      n.farm->release(r);
      progress_.made();
      if (n.ready_count.load(std::memory_order_acquire) > 0) recruit_for(w, n);
    });
  }
  if (!ok) throw thalweg::cancelled{};
  for (auto& c : due) deliver(w, n, std::move(c));
  d.outside.fetch_sub(1);
  carry_end(w, d);
  return !due.empty();
}

template <class F> void pool_engine::for_each_timer(node& n, F&& f) const {
  for (std::size_t i = 0; i < n.parts.size(); ++i) {
    const auto& q = n.parts[i];
    const auto& stages = state_->plan.components[q.component]->stages();
    for (auto s = q.stages.first; s < q.stages.last; ++s) {
      if (!stages[s].timed) continue;
      if (n.serial()) {
        f(i, s, 0);
      } else {
        for (const int r : n.farm->made()) {
          if (n.farm->available(r)) f(i, s, r);
        }
      }
    }
  }
}

std::int64_t pool_engine::deadline(const node& n, std::size_t part, std::size_t stage, int replica) const {
  return state_->plan.components[n.parts[part].component]->deadline(stage, static_cast<std::size_t>(replica));
}

std::int64_t pool_engine::next_deadline(node& n) const {
  constexpr auto never = std::numeric_limits<std::int64_t>::max();
  auto when = never;
  for_each_timer(n,
                 [&](std::size_t i, std::size_t s, int r) { when = std::min(when, deadline(n, i, s, r)); });
  // One that is due already but has no room is called when there is some.
  return n.serial() && !can_send(n) && when <= observe::now_ns() ? never : when;
}

bool pool_engine::is_due(const node& n) const {
  if (n.parts.size() != 1 || !can_send(n)) return false;
  const auto& s = state_->stages[n.parts.front().first];
  return s.info->timed && observe::now_ns() >= state_->plan.components[s.component]->deadline(s.stage);
}

bool pool_engine::is_due_in_farm(node& n) const {
  return !n.agents.empty() && observe::now_ns() >= next_deadline(n);
}

void pool_engine::carry_end(worker& w, node& d) {
  if (executes(w, d)) {
    drain(w, d);
  } else {
    notify(w, d);
  }
}

bool pool_engine::close(node& n) {
  n.closing.store(true);
  if (n.outside.load() == 0) return true;
  n.closing.store(false);
  return false;
}

void pool_engine::finish_node(worker& w, node& n) {
  auto& p = *current_.load(std::memory_order_acquire);
  w.finishing = &n;
  for (std::size_t i = 0; i < n.index; ++i) {
    auto& m = *p.nodes[i];
    if (m.serial() || m.region_end != &n || !m.agents.empty()) continue;
    finish_replicas(w, m);
  }
  w.finishing = nullptr;
  if (!finish_stages(w, n, 0, [&](chunk_ptr c) { send(w, n, std::move(c)); })) throw thalweg::cancelled{};
  n.finished.store(true, std::memory_order_release);
  if (n.last) {
    done_.store(true, std::memory_order_release);
    wake();
    return;
  }
  n.region_end->upstream_end.store(n.sent.load(std::memory_order_relaxed), std::memory_order_release);
  carry_end(w, *n.region_end);
}

void pool_engine::finish_replicas(worker& w, node& farm) {
  for (const int r : farm.farm->made()) {
    if (!finish_stages(w, farm, r, [&](chunk_ptr c) { deliver(w, farm, std::move(c)); }))
      throw thalweg::cancelled{};
  }
}

bool pool_engine::finish_own_farm(worker& w, node& n) {
  if (n.busy.exchange(true)) return false;
  if (!close(*n.region_end)) {  // a timer of the farm is being served
    n.busy.store(false);
    return false;
  }
  finish_replicas(w, n);
  n.finished.store(true, std::memory_order_release);
  carry_end(w, *n.region_end);
  return true;
}

bool pool_engine::finish_stages(worker& w, node& n, int replica, const taker& emit) {
  for (std::size_t i = 0; i < n.parts.size(); ++i) {
    const auto& q = n.parts[i];
    auto& component = *state_->plan.components[q.component];
    for (auto s = q.stages.first; s < q.stages.last; ++s) {
      if (!component.stages()[s].ends) continue;
      const auto hook = [&](model::context& ctx, pipe::chunk_base* out) {
        component.finish(s, static_cast<std::size_t>(replica), ctx, out);
      };
      if (!send_from(w, n, i, s, replica, hook, emit)) return false;
    }
  }
  return true;
}

bool pool_engine::send_from(worker& w, node& n, std::size_t i, std::size_t s, int replica,
                            const hook_call& hook, const taker& emit) {
  const auto& q = n.parts[i];
  auto& component = *state_->plan.components[q.component];
  auto& ctx = *w.contexts[q.component];
  const saved keep(ctx);
  ctx.here = {&n, i, n.sent.load(std::memory_order_relaxed), at_the_end, observe::now_ns(), replica};
  ctx.paced = state_->stages.front().info->source.paced;
  ctx.due = observe::now_ns();
  ctx.limit = longest_grant;
  ctx.limit_bytes = longest_grant_bytes;
  auto out = component.make_chunk(s);
  if (out) out->home = state_->first_of_component[q.component] + s;
  const bool ok = state_->guard(q.component, at_the_end, replica, [&] {
    hook(static_cast<model::context&>(ctx), out.get());
    ctx.collect({s, s + 1}, 0);
    if (out && !out->empty()) out = behind(ctx, q, s, replica, std::move(out));
  });
  if (!ok) return false;
  if (!out || out->empty()) return true;
  out->born_ns = ctx.here.born_ns;
  out->position = at_the_end;
  if (i + 1 < n.parts.size()) out = execute(w, n, std::move(out), replica, i + 1);
  if (!out->empty()) emit(std::move(out));
  return true;
}

chunk_ptr pool_engine::behind(pool_context& ctx, const part& q, std::size_t s, int replica, chunk_ptr c) {
  auto& component = *state_->plan.components[q.component];
  const saved keep(ctx);
  ctx.paced = c->paced;
  ctx.limit = ctx.limit_bytes = std::numeric_limits<std::size_t>::max() / 4;
  for (auto t = s + 1; t < q.stages.last && c && !c->empty(); ++t) {
    auto then = component.make_chunk(t);
    if (then) then->home = state_->first_of_component[q.component] + t;
    component.process({t, t + 1}, static_cast<std::size_t>(replica), ctx, *c, then.get());
    ctx.collect({t, t + 1}, 0);
    c = std::move(then);
  }
  return c;
}

}  // namespace thalweg::run_detail::pooled
