#include "stage_runner.hpp"

#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "../looks.hpp"
#include "graph_engine.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

constexpr std::size_t between_stages = 256;            // items, handed on at once
constexpr std::int64_t between_clocks_ns = 2'000'000;  // at least
constexpr std::size_t worth_asking_for = 16;           // items: two system calls cost little for each of them

}  // namespace

class stage_runner::own_context final : public thread_context {
 public:
  own_context(stage_runner& s, run_state& r, thread_log& l, std::size_t c)
      : thread_context(r, l, c), stages_(s) {}
  void flush(std::size_t leaf, pipe::chunk_base& out) override { stages_.flushed(*this, leaf, out); }
  bool divert(std::size_t leaf, pipe::chunk_base& items) override {
    return stages_.diverted(*this, leaf, items);
  }

  void wait_while_paused() override {
    const auto begin = observe::now_ns();
    const auto before = stages_.elsewhere_ns_;
    stages_.net_.wait_while_paused(*at);
    stages_.elsewhere_ns_ = before + observe::now_ns() - begin;
  }

  worker* at = nullptr;  // who executes the call

 private:
  stage_runner& stages_;
};

stage_runner::stage_runner(graph_engine& n, const std::vector<part>& parts, std::size_t replica,
                           pipe::chunk_base* out, output& to)
    : net_(n),
      run_(n.run()),
      parts_(parts),
      replica_(replica),
      out_(out),
      to_(to),
      first_(parts.front().first),
      last_(parts.back().first + parts.back().stages.last - parts.back().stages.first),
      fused_(std::any_of(parts.begin(), parts.end(),
                         [](const part& p) { return p.stages.last - p.stages.first > 1; })) {
  between_.resize(last_ - first_ + 1);
  loops_.resize(parts.size());
  measured_.ns.resize(last_ - first_);
  for (auto s = first_; s < last_; ++s) {
    if (run_.stages[s].info->timed) timed_.push_back(run_.stages[s]);
  }
  if (run_.stages[first_].info->in == nullptr) run_.flags.add_quota(quota_);
  net_.add(*this);
}

stage_runner::~stage_runner() = default;

void stage_runner::cut() noexcept {
  cut_.store(true, std::memory_order_release);
  quota_.store(0);
}

// Whoever cancels the run sets its flag and then cuts all runners short: one of the two is seen.
// Returns the time.
std::int64_t stage_runner::begin_run(std::size_t items) {
  (void)cut_.exchange(false, std::memory_order_acq_rel);
  if (run_.flags.cancelled.load(std::memory_order_acquire)) throw thalweg::cancelled{};
  auto now = observe::now_ns();
  looked_into_ = fused_ && is_looked_into(parts_.front(), now);
  measuring_ = fused_ && (is_due(whole_run_) || looked_into_);
  probing_ = false;
  if (measuring_) {
    std::fill(measured_.ns.begin(), measured_.ns.end(), 0);
    probing_ = true;
    now = begin_probe();
  }
  several_.store(items > 1, std::memory_order_relaxed);
  began_.store(now, std::memory_order_release);
  if (items > 1) {
    pipe::full_fence();  // the monitor sees that a run has begun, or this sees that it rests
    net_.attend();
  }
  return now;
}

// A stage is timed by itself from now on. Returns the time.
std::int64_t stage_runner::begin_probe() noexcept {
  lost_.begin();
  return observe::now_ns();
}

// What a stage that was timed by itself has taken of the processor, or has waited for. `clocks`: that the
// reading of clocks took.
std::int64_t stage_runner::probed(std::int64_t ns, std::int64_t clocks) noexcept {
  return std::max<std::int64_t>(0, ns - clocks - lost_.within(ns));
}

// `ns`: how long its stages have worked, or its source and what is fused with it.
void stage_runner::end_run(std::size_t items, std::int64_t ns) {
  if (std::exchange(looked_into_, false))
    have_looked_into(parts_.front(), began_.load(std::memory_order_relaxed));
  began_.store(0, std::memory_order_release);
  probing_ = false;
  if (!std::exchange(measuring_, false)) {
    if (fused_) hasten(whole_run_, first_, last_, items, ns);
    return;
  }
  measured_.items = items;
  ++measured_.number;
}

// Whether a run of `items` has taken far longer than the probes of these stages say: one of them has become
// slow, and the next run that is measured shows which.
bool stage_runner::is_unlike_probes(std::size_t first, std::size_t last, std::size_t items,
                                    std::int64_t ns) const noexcept {
  constexpr std::int64_t long_enough = 100'000;
  if (ns < long_enough) return false;
  double each = 0;
  for (auto s = first; s < last; ++s) {
    const auto& c = (*log_)[s];
    if (c.probes.value() == 0) return false;
    each += static_cast<double>(c.probe_ns.value()) / static_cast<double>(c.probes.value());
  }
  return static_cast<double>(ns) > 4 * each * static_cast<double>(std::max<std::size_t>(1, items));
}

// Somebody waits for an item between the stages of a loop.
bool stage_runner::is_looked_into(const part& loop, std::int64_t now) const noexcept {
  const auto end = loop.first + (loop.stages.last - loop.stages.first);
  return run_.seen_by->anywhere() && run_.seen_by->wait_in(loop.first + 1, end, now);
}

void stage_runner::have_looked_into(const part& loop, std::int64_t begin) noexcept {
  run_.seen_by->ran(loop.first + 1, loop.first + (loop.stages.last - loop.stages.first), begin,
                    observe::now_ns());
}

// Not at once: a run of very many stages has only begun then.
bool stage_runner::is_clock_due(std::int64_t now) noexcept {
  if (now < next_clock_ns_ || !run_.observes()) return false;
  return std::exchange(next_clock_ns_, now + between_clocks_ns) != 0;
}

// A run in which the thread has lost its processor says nothing of its operators.
void stage_runner::count_clocked(const part& loop, std::int64_t ns,
                                 const observe::thread_usage& before) noexcept {
  const auto now = observe::thread_usage_now();
  if (now.preemptions != before.preemptions) return;
  for (auto& c : log_->span(loop.first, loop.stages.last - loop.stages.first)) {
    c.clocked_ns.add_ns(ns);
    c.clocked_cpu_ns.add_ns(std::min(now.cpu_ns - before.cpu_ns, ns));
  }
}

bool stage_runner::is_due(rhythm& r) noexcept {
  const bool due = r.runs == r.next;
  if (due) r.next += std::min(r.runs + 1, between_measurements - 8 + some());
  ++r.runs;
  return due;
}

// A stage that few items come to shall be timed soon, and one that has become slow in the next run. `ns`:
// that `items` have taken in this one, if it was not measured.
void stage_runner::hasten(rhythm& r, std::size_t first, std::size_t last, std::size_t items,
                          std::int64_t ns) {
  if (r.next > r.runs + most_some && has_hardly_timed_stage(first, last)) r.next = r.runs + some();
  if (is_unlike_probes(first, last, items, ns)) r.next = std::min(r.next, r.runs);
}

stage_runner::own_context& stage_runner::context(std::size_t component) {
  return *contexts_[component - parts_.front().component];
}

// A number of runs from 1 to 16, another one each time: at a fixed distance what happens in every 96th run
// only might never be measured. (The constants are those of Numerical Recipes.)
std::uint64_t stage_runner::some() noexcept {
  random_ = random_ * 1'664'525U + 1'013'904'223U;
  return 1 + (random_ >> 28U);
}

bool stage_runner::has_hardly_timed_stage(std::size_t first, std::size_t last) const {
  for (auto s = first; s < last; ++s) {
    const auto& c = (*log_)[s];
    if (c.items_in.value() != 0 && c.probes.value() < few_probes) return true;
  }
  return false;
}

// How often the loop that begins at a stage is measured; null: none of several stages does. What comes to it
// in rare bursts the measured runs of the whole would miss.
stage_runner::rhythm* stage_runner::loop_at(std::size_t stage) noexcept {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].first == stage && parts_[i].stages.last - parts_[i].stages.first > 1) return &loops_[i];
  }
  return nullptr;
}

// The loop that begins at a stage: a part, or, where a part is entered in the middle or measured, the stage
// alone.
part stage_runner::part_at(std::size_t stage) const {
  for (const auto& p : parts_) {
    if (p.first == stage && !probing_) return p;
  }
  const auto& s = run_.stages[stage];
  return {s.component, {s.stage, s.stage + 1}, stage};
}

// Calls `f`; what it throws ends the run and comes out as cancelled.
template <class F> void stage_runner::attempt(std::size_t component, F&& f) {
  if (!run_.guard(component, position, static_cast<int>(replica_), std::forward<F>(f)))
    throw thalweg::cancelled{};
}

void stage_runner::start(worker& w) {
  if (started_) return;
  started_ = true;
  const auto in_farm = [](const run_state::stage_ref& s) { return s.info->farm >= 0; };
  const auto of = std::span(run_.stages).subspan(first_, last_ - first_);
  const auto by = keys != nullptr                              ? observe::division::key_part
                  : std::any_of(of.begin(), of.end(), in_farm) ? observe::division::replica
                                                               : observe::division::none;
  log_ = &run_.counters.new_log(first_, last_ - first_, {by, static_cast<int>(replica_)});
  for (const auto& p : parts_) {
    while (contexts_.size() <= p.component - parts_.front().component)
      contexts_.push_back(
          std::make_unique<own_context>(*this, run_, *log_, parts_.front().component + contexts_.size()));
  }
  for (auto& c : contexts_) {
    c->part = keys;
    c->limit_bytes = limit_bytes;
    if (run_.stages[first_].info->in == nullptr) c->quota = &quota_;
  }
  for (auto s = first_; s < last_; ++s) {
    const auto& ref = run_.stages[s];
    attempt(ref.component, [&] {
      net_.start_once(s, replica_, [&] {
        run_.plan.components[ref.component]->start({ref.stage, ref.stage + 1}, replica_);
      });
    });
  }
  (void)w;
}

std::int64_t stage_runner::process(worker& w, pipe::chunk_base& items, std::size_t limit) {
  return process(w, items, limit, false);
}

std::int64_t stage_runner::process_some(worker& w, pipe::chunk_base& items, std::size_t limit) {
  return process(w, items, limit, items.size() > 1);
}

std::int64_t stage_runner::process(worker& w, pipe::chunk_base& items, std::size_t limit, bool may_be_cut) {
  limit_ = limit;
  const auto n = items.size();
  if (n == 0) return 0;
  if (may_be_cut) net_.watch();  // it can only be cut short by the monitor
  const auto begin = begin_run(items.size());
  const auto elsewhere = elsewhere_ns_;
  const auto done = carry(w, first_, items, may_be_cut, begin);
  const auto ns = ended_ns_ - begin - (elsewhere_ns_ - elsewhere);
  end_run(done, ns);
  if (done == n) {
    items.clear();
  } else {
    items.drop_front(done);
  }
  return ns;
}

// Runs items through the stages from `stage` on: all of them, unless they may be cut short. They are left
// moved-from. Returns how many. `begin`: the time. In the middle of a call of a stage before this one they
// are not left to the caller: where the run is to be cut short, other nodes may take the rest.
std::size_t stage_runner::carry(worker& w, std::size_t stage, pipe::chunk_base& items, bool may_be_cut,
                                std::int64_t begin) {
  const auto was_probing = probing_;
  auto* const loop = probing_ || stage == first_ ? nullptr : loop_at(stage);
  const auto whole = part_at(stage);
  const bool looked_into = loop != nullptr && is_looked_into(whole, begin);
  if (loop != nullptr && (is_due(*loop) || looked_into)) probing_ = true;
  if (stage != first_) show_items(run_, stage, 0, items);
  const auto p = part_at(stage);
  const auto next = p.first + (p.stages.last - p.stages.first);
  const bool last = next == last_;
  auto& component = *run_.plan.components[p.component];
  auto& ctx = context(p.component);
  // Taken out while it is in use: an operator that sends much comes back here before it returns.
  chunk_ptr inner;
  if (!last) {
    inner = std::move(between_[next - first_]);
    if (!inner) inner = component.make_chunk(p.stages.last - 1);
  }
  auto* const out = last ? out_ : inner.get();
  const auto n = items.size();
  if (items.paced && n > 0) last_due_ = items.due(n - 1);
  std::size_t done = 0;
  const auto mark = pipe::mark{ctx.due, ctx.rank};
  const auto was_paced = std::exchange(ctx.paced, items.paced);
  const auto was_ranked = std::exchange(ctx.ranked, items.ranked);
  const auto limit = std::exchange(ctx.limit, last ? limit_ : limit_between());
  // Ranked items stay: the promise of their run must not go on before all of it.
  const bool may_divert = !may_be_cut && stage != first_ && !items.ranked && to_.can_divert(*this, stage);
  const auto* const cut = std::exchange(ctx.cut, may_be_cut || may_divert ? &cut_ : ctx.cancelled);
  const auto* const was_hurried =
      std::exchange(ctx.hurry, last && hurry != nullptr ? hurry : &model::context::nobody_waits);
  auto* const at = std::exchange(ctx.at, &w);
  const auto waited = std::exchange(ctx.waited_ns, 0);  // of a source in whose call this happens
  const auto elsewhere = elsewhere_ns_;
  traced_execution traced(run_.statistics.trace, w.log.number, p.first, begin,
                          p.stages.last - p.stages.first);
  const bool clocked = is_clock_due(begin);
  const auto used = clocked ? observe::thread_usage_now() : observe::thread_usage{};
  if (probing_ && n >= worth_asking_for) {
    begin = begin_probe();
  } else if (clocked) {
    begin = observe::now_ns();  // a thread may lose its processor in a system call
  }
  const bool ok = run_.guard(p.component, position, static_cast<int>(replica_),
                             [&] { done = component.process(p.stages, replica_, ctx, items, out); });
  const auto end = ended_ns_ = observe::now_ns();
  const auto took = end - begin - (elsewhere_ns_ - elsewhere);
  if (clocked && elsewhere_ns_ == elsewhere) count_clocked(p, end - begin, used);
  const auto arrived = out == nullptr ? ctx.arrived_at(p.stages.last - 1) : 0;
  const auto its = probing_ ? probed(took, observe::clock_cost_ns()) : took;
  ctx.collect(p.stages, its, probing_);
  if (measuring_) measured_.ns[p.first - first_] += its;
  w.log.work.busy_ns.add_ns(took);
  traced.ended(end, done, position);
  ctx.waited_ns = waited;
  ctx.at = at;
  ctx.hurry = was_hurried;
  ctx.cut = cut;
  ctx.limit = limit;
  ctx.ranked = was_ranked;
  ctx.paced = was_paced;
  ctx.take_marks(mark);
  if (!ok) throw thalweg::cancelled{};
  if (arrived > 0 && !items.paced) log_->arrived(end - born_ns, arrived);
  if (!last) {
    if (!inner->empty()) (void)carry(w, next, *inner, false, observe::now_ns());
    inner->clear();
    inner->paced = inner->ranked = false;
    between_[next - first_] = std::move(inner);
  }
  if (may_divert && done < n) {
    measuring_ = false;  // not the whole of what the source has given
    items.drop_front(done);
    to_.divert(*this, w, stage, items);
    done = n;
  }
  const bool measured = std::exchange(probing_, was_probing);
  if (looked_into) have_looked_into(whole, begin);
  if (loop != nullptr)
    hasten(*loop, whole.first, whole.first + (whole.stages.last - whole.stages.first), done,
           measured ? 0 : took);
  return done;
}

// How many items are handed on at once between two loops; a run that is measured goes through as a whole.
std::size_t stage_runner::limit_between() const noexcept {
  return probing_ ? longest_run : between_stages;
}

// An output is full in the middle of a call.
void stage_runner::flushed(own_context& ctx, std::size_t leaf, pipe::chunk_base& out) {
  if (ctx.interrupted()) throw thalweg::cancelled{};
  const auto next = ctx.first_stage + leaf + 1;
  if (next == last_ && to_.collects(ctx.out_bytes)) return;
  const auto begin = observe::now_ns();
  const auto before = elsewhere_ns_;
  if (next < last_) {
    (void)carry(*ctx.at, next, out, false, begin);
    out.clear();
  } else {
    to_.give(*ctx.at, true);
  }
  elsewhere_ns_ = before + observe::now_ns() - begin;
}

// In the middle of a call whose run is to be cut short.
bool stage_runner::diverted(own_context& ctx, std::size_t leaf, pipe::chunk_base& items) {
  // Where each stage is a loop of its own, what has come out of this one before is still to go on: see
  // `carry`.
  const auto next = ctx.first_stage + leaf + 1;
  if (probing_ || ctx.paced || ctx.ranked) return false;
  const bool here = to_.can_divert(*this, next);
  if (!here && !to_.can_divert_behind(*this, next)) return false;
  const auto begin = observe::now_ns();
  const auto before = elsewhere_ns_;
  if (here) {
    to_.divert(*this, *ctx.at, next, items);
  } else {
    (void)carry(*ctx.at, next, items, false, begin);
  }
  elsewhere_ns_ = before + observe::now_ns() - begin;
  return true;
}

void stage_runner::carry_on(worker& w, std::size_t stage, pipe::chunk_base& items, std::size_t limit) {
  limit_ = limit;
  if (stage < last_) {
    (void)carry(w, stage, items, false, observe::now_ns());
  } else {
    items.move_items(0, items.size(), *out_);
  }
}

model::produced stage_runner::produce(worker& w, std::size_t n, std::size_t limit) {
  if (n > unwatched_calls) net_.watch();
  const auto begin = begin_run(n);
  const auto p = part_at(first_);
  const auto next = p.first + (p.stages.last - p.stages.first);
  const bool last = next == last_;
  auto& component = *run_.plan.components[p.component];
  auto& ctx = context(p.component);
  limit_ = limit;
  // What a source that may wait has given goes on at once, one by one.
  if (measuring_ && !eager)
    n = std::min(n, has_hardly_timed_stage(first_, last_) ? most_untimed : most_measured);
  ctx.limit = last ? limit : measuring_ && eager ? longest_run : 1;
  ctx.paced = paced;
  ctx.at = &w;
  ctx.hurry = last && hurry != nullptr ? hurry : &model::context::nobody_waits;
  auto& inner = between_[next - first_];
  if (!last && !inner) inner = component.make_chunk(p.stages.last - 1);
  const auto elsewhere = elsewhere_ns_;
  traced_execution traced(run_.statistics.trace, w.log.number, p.first, begin,
                          p.stages.last - p.stages.first);
  if (born_ns == 0) born_ns = begin;
  model::produced made;
  const auto* const cut = std::exchange(ctx.cut, &cut_);
  const bool ok = run_.guard(p.component, position, static_cast<int>(replica_),
                             [&] { made = component.produce(p.stages, ctx, n, last ? out_ : inner.get()); });
  ctx.cut = cut;
  const auto end = observe::now_ns();
  const auto waited = ctx.waited_ns;
  took_ns = end - begin - (elsewhere_ns_ - elsewhere);
  worked_ns = std::max<std::int64_t>(0, took_ns - waited);
  const auto arrived = out_ == nullptr && last ? ctx.arrived_at(p.stages.last - 1) : 0;
  // Where items went on one by one, a clock was read for each.
  const auto clocks =
      measuring_ && !last && !eager ? static_cast<std::int64_t>(made.items) * observe::clock_cost_ns() : 0;
  const auto its = measuring_ ? probed(took_ns, clocks) : took_ns;
  ctx.collect(p.stages, its, measuring_);
  if (measuring_) measured_.ns.front() += its;
  w.log.work.busy_ns.add_ns(worked_ns);
  traced.ended(end, made.items, position);
  if (!ok) throw thalweg::cancelled{};
  if (arrived > 0 && !paced) log_->arrived((end - begin) / static_cast<std::int64_t>(arrived), arrived, true);
  if (!last && !inner->empty()) {
    auto items = std::move(inner);
    (void)carry(w, next, *items, false, measuring_ ? observe::now_ns() : end);
    items->clear();
    items->paced = items->ranked = false;
    inner = std::move(items);
  }
  end_run(made.items, worked_ns);
  return made;
}

void stage_runner::fire_timers(worker& w, std::size_t limit, bool items_wait) {
  limit_ = limit;
  const auto now = observe::now_ns();
  for (const auto& s : timed_) {
    auto& component = *run_.plan.components[s.component];
    if (component.deadline(s.stage, replica_) > now) continue;
    call_hook(w, run_.first_of_component[s.component] + s.stage, false,
              [&](own_context& ctx, pipe::chunk_base* out) {
                ctx.items_wait = items_wait;
                component.on_time(s.stage, ctx, out, replica_);
              });
  }
}

std::int64_t stage_runner::deadline() const {
  auto when = never;
  for (const auto& s : timed_) {
    when = std::min(when, run_.plan.components[s.component]->deadline(s.stage, replica_));
  }
  return when;
}

void stage_runner::catch_up(worker& w, std::size_t limit) {
  limit_ = limit;
  const auto& ref = run_.stages[first_];
  call_hook(w, first_, false, [&](own_context& ctx, pipe::chunk_base* out) {
    run_.plan.components[ref.component]->catch_up(ref.stage, ctx, out, replica_);
  });
}

void stage_runner::finish(worker& w, std::size_t s, std::size_t limit) {
  limit_ = limit;
  if (born_ns == 0) born_ns = observe::now_ns();
  const auto& ref = run_.stages[s];
  call_hook(w, s, true, [&](own_context& ctx, pipe::chunk_base* out) {
    run_.plan.components[ref.component]->finish(ref.stage, replica_, ctx, out);
  });
}

// Calls a hook of a stage that may send; what it sends goes on to the next stage.
template <class F> void stage_runner::call_hook(worker& w, std::size_t stage, bool at_end, F&& hook) {
  const auto begin = observe::now_ns();
  const auto& ref = run_.stages[stage];
  auto& component = *run_.plan.components[ref.component];
  auto& ctx = context(ref.component);
  const bool last = stage + 1 == last_;
  const auto inner = last ? nullptr : component.make_chunk(ref.stage);
  const auto was_paced = std::exchange(ctx.paced, paced);
  // Unless the hook knows better, what it sends has been due since the newest item that has come.
  const auto newest = std::max(ctx.due, last_due_);
  const auto due = std::exchange(ctx.due, newest != 0 ? newest : begin);
  ctx.ranked = (last && out_ != nullptr && out_->ranked) || (inner && out_ != nullptr && out_->ranked);
  const auto limit = std::exchange(ctx.limit, last ? limit_ : limit_between());
  if (at_end) ctx.rank = pipe::end_rank;
  auto* const at = std::exchange(ctx.at, &w);
  const auto elsewhere = elsewhere_ns_;
  attempt(ref.component, [&] { hook(ctx, last ? out_ : inner.get()); });
  ctx.collect({ref.stage, ref.stage + 1}, observe::now_ns() - begin - (elsewhere_ns_ - elsewhere));
  ctx.at = at;
  ctx.limit = limit;
  ctx.ranked = false;
  ctx.due = due;
  ctx.paced = was_paced;
  if (inner && !inner->empty()) {
    const auto saved = std::exchange(paced, inner->paced);
    (void)carry(w, stage + 1, *inner, false, observe::now_ns());
    paced = saved;
  }
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
