// The sequential policy: everything on one thread, item by item, depth first. It is what every other policy
// is tested against, so it is kept as simple as it can be.
#include <thalweg/observe/clock.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "network/policies.hpp"

namespace thalweg::run_detail {

namespace {

// How long a run of items may take between two looks at the clock: where they are kept for the next step, and
// where each goes through the whole stream.
constexpr std::int64_t run_ns = 50'000;
constexpr std::int64_t whole_run_ns = 200'000;
constexpr std::size_t longest_whole_run = 32'768;
constexpr std::size_t longest_run = 8192;

class sequential_engine final : public engine {
 public:
  explicit sequential_engine(std::unique_ptr<run_state> s) : engine(std::move(s)) {
    state_->replicas.assign(state_->stages.size(), 1);
  }

  ~sequential_engine() override {
    if (thread_.joinable()) thread_.join();
  }

  void start(bool on_caller) override {
    const bool wants_caller = std::any_of(state_->stages.begin(), state_->stages.end(), [](const auto& s) {
      return s.info->opts.on == placement::caller_thread;
    });
    deferred_ = on_caller || wants_caller;
    if (!deferred_) thread_ = std::thread([this] { work(); });
  }

  void join() override {
    const std::lock_guard hold(join_);
    if (deferred_ && !state_->done.load(std::memory_order_acquire)) work();
    if (thread_.joinable()) thread_.join();
  }

  void wake() override { state_->release_waiters(); }

 private:
  // A line of stages run as one loop, and where its output goes.
  struct step;
  class step_context final : public thread_context {
   public:
    step_context(sequential_engine& e, run_state& r, thread_log& l, std::size_t c)
        : thread_context(r, l, c), engine_(e) {}
    void flush(std::size_t leaf, pipe::chunk_base& out) override {
      const auto before = engine_.elsewhere_ns_;
      const auto begin = engine_.measures_ ? observe::now_ns() : 0;
      engine_.pass_through(first_stage + leaf + 1, out);
      out.clear();
      if (engine_.measures_) engine_.elsewhere_ns_ = before + observe::now_ns() - begin;
    }
    void wait_while_paused() override {
      const auto begin = observe::now_ns();
      thread_context::wait_while_paused();
      engine_.elsewhere_ns_ += observe::now_ns() - begin;
    }

   private:
    sequential_engine& engine_;
  };
  struct step {
    std::size_t component;
    model::range r;
    std::size_t first;  // stage number
    std::unique_ptr<pipe::chunk_base> out;
  };

  void work() {
    auto& run = *state_;
    log_ = &run.new_log();
    run.inlined.store(true, std::memory_order_relaxed);
    const bool ok = run.guard(0, position_, 0, [&] { prepare(); }) && drive();
    if (ok && !run.cancelled.load(std::memory_order_relaxed)) end();
    run.finished();
  }

  void prepare() {
    auto& plan = state_->plan;
    std::vector<int> segments(state_->stages.size(), -1);
    for (std::size_t c = 0; c < plan.components.size(); ++c) {
      auto& component = *plan.components[c];
      contexts_.push_back(std::make_unique<step_context>(*this, *state_, *log_, c));
      const auto& stages = component.stages();
      for (std::size_t s = 0; s < stages.size(); ++s) component.prepare(s, 1);
      const bool fused = std::all_of(stages.begin(), stages.end(),
                                     [](const auto& s) { return s.opts.on_error.plain() && !s.timed; });
      const auto add = [&](model::range r) {
        const auto number = state_->first_of_component[c] + r.first;
        if (r.last - r.first > 1) {
          for (auto i = r.first; i < r.last; ++i)
            segments[state_->first_of_component[c] + i] = static_cast<int>(number);
        }
        steps_.push_back({c, r, number, component.make_chunk(r.last - 1)});
      };
      if (fused) {
        add({0, stages.size()});
      } else {
        for (std::size_t s = 0; s < stages.size(); ++s) add({s, s + 1});
      }
    }
    state_->fused(std::move(segments));
    for (auto& s : steps_) {
      if (!state_->guard(s.component, 0, 0, [&] { state_->plan.components[s.component]->start(s.r, 0); }))
        return;
    }
    for (std::size_t i = 0; i < state_->stages.size(); ++i) {
      if (state_->stages[i].info->timed) timed_.push_back(i);
    }
  }

  // Calls the source until the end. Returns false if something failed.
  bool drive() {
    auto& run = *state_;
    auto& source = steps_.front();
    auto& ctx = *contexts_[source.component];
    const auto& info = *run.stages.front().info;
    const bool whole = steps_.size() == 1;
    // A chunk between source and next step would hold items back while the source waits.
    const bool one_by_one = !whole && !info.source.eager;
    const std::size_t most = whole ? longest_whole_run : longest_run;
    const auto target = whole ? whole_run_ns : run_ns;
    if (info.source.pushes) ctx.limit = 1;
    std::size_t n = 1;
    bool ended = false;
    while (!ended && !run.ending.load(std::memory_order_relaxed)) {
      if (run.paused()) run.wait_while_paused();
      ctx.paced = info.source.paced;
      const auto elsewhere = elsewhere_ns_;
      const auto begin = observe::now_ns();
      born_ = begin;
      samples_ = one_by_one && n > 1;
      bool ok = run.guard(source.component, position_, 0, [&] {
        auto& component = *run.plan.components[source.component];
        ctx.sample = run.observes();
        const auto made = component.produce(source.r, ctx, 1, source.out.get());
        ended = made.ended;
        if (whole && !info.source.paced && ctx.arrived_at(ctx.tallies.size() - 1) > 0) sample_latency(ctx);
        ctx.sample = false;
        if (!ended && n > 1 && !one_by_one)
          ended = component.produce(source.r, ctx, n - 1, source.out.get()).ended;
      });
      ctx.sample = false;
      auto took = finish_call(source, ctx, begin, elsewhere);
      ok = ok && run.guard(source.component, position_, 0, [&] {
        if (!whole) pass_on(1, *source.out);
        fire_timers();
      });
      ++position_;
      if (ok && !ended && n > 1 && one_by_one) ok = carry_unmeasured(n - 1, ended);
      if (one_by_one) took = observe::now_ns() - begin;
      n = took < target ? std::min(n * 2, most) : std::max<std::size_t>(1, n / 2);
      if (!ok) return false;
    }
    return true;
  }

  // Looking at the clock in each step would take longer than most steps do: of a run of items one has been
  // measured, and the time of the others is shared out by that.
  bool carry_unmeasured(std::size_t n, bool& ended) {
    auto& run = *state_;
    auto& source = steps_.front();
    auto& component = *run.plan.components[source.component];
    auto& ctx = *contexts_[source.component];
    const auto elsewhere = elsewhere_ns_;
    const auto begin = observe::now_ns();
    measures_ = false;
    bool ok = true;
    for (; ok && !ended && n > 0 && !run.paused() && !run.ending.load(std::memory_order_relaxed); --n) {
      ok = run.guard(source.component, position_, 0, [&] {
        ended = component.produce(source.r, ctx, 1, source.out.get()).ended;
        pass_on(1, *source.out);
        fire_timers();
      });
      ++position_;
    }
    measures_ = true;
    const auto waited = ctx.waited_ns;
    const auto end = observe::now_ns();
    const auto took = std::max<std::int64_t>(0, end - begin - (elsewhere_ns_ - elsewhere) - waited);
    items_.clear();
    for (const auto& s : steps_) {
      const auto& tallies = contexts_[s.component]->tallies;
      for (auto i = s.r.first; i < s.r.last; ++i)
        items_.push_back(tallies[i].in != 0 ? tallies[i].in : tallies[i].out);
      contexts_[s.component]->collect(s.r, 0);
    }
    log_->work.busy_ns.add_ns(took);
    if (run.observes()) observe::share_time(log_->span(0, items_.size()), items_, took);
    if (run.trace) run.trace->record(log_->number, 0, begin, end, items_.front(), position_, items_.size());
    return ok;
  }

  void sample_latency(const thread_context& ctx) {
    std::int64_t ns = 0;
    for (std::size_t i = 1; i < ctx.tallies.size(); ++i) ns += ctx.tallies[i].sampled_ns;
    log_->arrived(ns, 1, true);
  }

  // Counts a call that began at `begin`, when so much time had been spent elsewhere. Returns its own time.
  std::int64_t finish_call(const step& s, step_context& ctx, std::int64_t begin, std::int64_t elsewhere) {
    const auto end = observe::now_ns();
    const auto took = end - begin - (elsewhere_ns_ - elsewhere);
    std::uint64_t items = ctx.tallies[s.r.first].in + ctx.tallies[s.r.first].out;
    const auto waited = log_->waited_ns;
    ctx.collect(s.r, took);
    log_->work.busy_ns.add_ns(took - (log_->waited_ns - waited));
    if (state_->trace)
      state_->trace->record(log_->number, s.first, begin, end, items, position_, s.r.last - s.r.first);
    return took;
  }

  // The number of the step that begins with a stage; none: the number of steps.
  std::size_t step_at(std::size_t stage) const {
    const auto it =
        std::find_if(steps_.begin(), steps_.end(), [&](const step& s) { return s.first == stage; });
    return static_cast<std::size_t>(it - steps_.begin());
  }

  // Carries the items of `in` through the steps from step `number` on.
  void pass_on(std::size_t number, pipe::chunk_base& in) {
    if (number >= steps_.size() || in.empty()) {
      in.clear();
      return;
    }
    auto* const s = &steps_[number];
    auto& ctx = *contexts_[s->component];
    // Taken out while it is in use: an operator that sends much comes back here before it returns.
    auto out = std::move(s->out);
    if (!out && s->r.last != 0) out = state_->plan.components[s->component]->make_chunk(s->r.last - 1);
    const auto due = ctx.due;
    const auto limit = std::exchange(ctx.limit, longest_run);
    const auto paced = std::exchange(ctx.paced, in.paced);
    const auto elsewhere = elsewhere_ns_;
    const auto begin = measures_ ? observe::now_ns() : 0;
    ctx.sample = measures_ && state_->observes();
    bool ok = true;
    try {
      state_->plan.components[s->component]->process(s->r, 0, ctx, in, out.get());
    } catch (const model::stage_failure& failure) {
      state_->fail(s->component, failure, position_, 0);
      ok = false;
    }
    ctx.sample = false;
    if (measures_) {
      const bool last = s == &steps_.back();
      if (const auto arrived = last ? ctx.arrived_at(s->r.last - 1) : 0; ok && arrived > 0 && !in.paced)
        log_->arrived(observe::now_ns() - born_, arrived, samples_);
      finish_call(*s, ctx, begin, elsewhere);
    }
    in.clear();
    ctx.due = due;
    ctx.limit = limit;
    ctx.paced = paced;
    if (!ok) throw thalweg::cancelled{};
    if (out) {
      pass_on(number + 1, *out);
      out->clear();
      s->out = std::move(out);
    }
  }

  void fire_timers() {
    for (const auto stage : timed_) {
      const auto& ref = state_->stages[stage];
      auto& component = *state_->plan.components[ref.component];
      if (component.deadline(ref.stage) > observe::now_ns()) continue;
      auto& ctx = *contexts_[ref.component];
      const auto out = component.make_chunk(ref.stage);
      component.on_time(ref.stage, ctx, out.get());
      ctx.collect({ref.stage, ref.stage + 1}, 0);
      pass_through(stage + 1, *out);
    }
  }

  // The end of the stream reaches one stage after the other.
  void end() {
    for (std::size_t i = 0; i < state_->stages.size(); ++i) {
      const auto& ref = state_->stages[i];
      auto& component = *state_->plan.components[ref.component];
      auto& ctx = *contexts_[ref.component];
      const bool ok = state_->guard(ref.component, std::numeric_limits<std::int64_t>::max(), 0, [&] {
        const auto out = component.make_chunk(ref.stage);
        component.finish(ref.stage, 0, ctx, out.get());
        ctx.collect({ref.stage, ref.stage + 1}, 0);
        if (out) pass_through(i + 1, *out);
      });
      if (!ok) return;
    }
  }

  // As pass_on, for items that enter in the middle of a fused line: stage by stage.
  void pass_through(std::size_t stage, pipe::chunk_base& in) {
    if (in.empty() || stage >= state_->stages.size()) return;
    if (const auto number = step_at(stage); number < steps_.size() && steps_.size() > 1) {
      pass_on(number, in);
      return;
    }
    const auto& ref = state_->stages[stage];
    auto& component = *state_->plan.components[ref.component];
    auto& ctx = *contexts_[ref.component];
    const auto due = ctx.due;
    const auto paced = std::exchange(ctx.paced, in.paced);
    const auto out = component.make_chunk(ref.stage);
    component.process({ref.stage, ref.stage + 1}, 0, ctx, in, out.get());
    ctx.collect({ref.stage, ref.stage + 1}, 0);
    ctx.due = due;
    ctx.paced = paced;
    if (out) pass_through(stage + 1, *out);
  }

  std::thread thread_;
  std::mutex join_;
  bool deferred_ = false;
  thread_log* log_ = nullptr;
  std::vector<std::unique_ptr<step_context>> contexts_;
  std::vector<step> steps_;
  std::vector<std::size_t> timed_;
  std::int64_t position_ = 0;
  std::int64_t born_ = 0;
  // The time of calls that were made in the middle of others: not these others' own.
  std::int64_t elsewhere_ns_ = 0;
  bool measures_ = true;  // the items in hand
  bool samples_ = false;  // items are measured, but not all
  std::vector<std::uint64_t> items_;
};

}  // namespace

std::shared_ptr<engine> make_sequential(std::unique_ptr<run_state> state, const void*) {
  if (!state->plan.is_line || state->others) return make_network(std::move(state), sequential{});
  return std::make_shared<sequential_engine>(std::move(state));
}

}  // namespace thalweg::run_detail
