// A custom policy: `stagewise`. See docs/extending.md.
#pragma once

#include <thalweg/run/engine.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace policies {

namespace tw = thalweg;

/// One stage after the other, each over the whole stream: all items are read, then all go through the first
/// stage, and so on. It needs room for everything, but no two stages ever disturb each other, so the report
/// tells exactly what each of them costs by itself.
class stagewise_engine final : public tw::run_detail::engine {
 public:
  explicit stagewise_engine(std::unique_ptr<tw::run_detail::run_state> state) : engine(std::move(state)) {}

  ~stagewise_engine() override {
    if (thread_.joinable()) thread_.join();
  }

  // `run` lends its thread: then the work is done in `join`. It is too if a stage must be on that thread.
  void start(bool on_caller) override {
    bool needs_caller = on_caller;
    for (const auto& s : state().stages) {
      needs_caller = needs_caller || s.info->opts.on == tw::caller_thread;
    }
    owed_.store(needs_caller);
    if (!needs_caller) thread_ = std::thread([this] { work(); });
  }

  void join() override {
    if (owed_.exchange(false)) work();
    state().flags.wait_done();
    const std::lock_guard one_at_a_time(joining_);
    if (thread_.joinable()) thread_.join();
  }

  void wake() override { state().flags.release_waiters(); }

 private:
  using chunk = std::unique_ptr<tw::pipe::chunk_base>;

  // An operator's output is never full here, so nothing has to be handed over in the middle of a call.
  struct context final : tw::run_detail::thread_context {
    using thread_context::thread_context;
    void flush(std::size_t, tw::pipe::chunk_base&) override {}
  };

  void work() {
    auto& run = state();
    log_ = &run.counters.new_log();
    bool ok = true;
    for (std::size_t c = 0; c < run.plan.components.size(); ++c) {
      contexts_.push_back(std::make_unique<context>(run, *log_, c));
      contexts_.back()->limit = contexts_.back()->limit_bytes = std::numeric_limits<std::size_t>::max();
    }
    for (std::size_t i = 0; i < run.stages.size(); ++i) {
      ok = ok && attempt(i, [&](auto& component, auto stage, auto&) {
             component.prepare(stage, 1);
             component.start({stage, stage + 1}, 0);
           });
    }
    chunk items;
    for (std::size_t i = 0; ok && i < run.stages.size(); ++i) {
      chunk out = run.plan.components[run.stages[i].component]->make_chunk(run.stages[i].stage);
      ok = attempt(i, [&](auto& component, auto stage, auto& ctx) {
        if (i == 0) {
          read(component, ctx, *out);
        } else {
          ctx.paced = items->paced;
          component.process({stage, stage + 1}, 0, ctx, *items, out.get());
        }
        component.finish(stage, 0, ctx, out.get());
      });
      items = std::move(out);
    }
    run.finished();
  }

  // The source is asked for a run of items at a time, to notice a pause or a stop in between.
  void read(tw::model::component& component, context& ctx, tw::pipe::chunk_base& out) {
    auto& run = state();
    ctx.paced = run.stages.front().info->source.paced;
    while (!run.flags.ending.load()) {
      if (run.flags.paused()) run.flags.wait_while_paused();
      if (component.produce({0, 1}, ctx, 64, &out).ended) return;
    }
  }

  // Calls `f` for stage `i` of the plan, records what it throws, and counts what it did.
  template <class F> bool attempt(std::size_t i, F&& f) {
    auto& run = state();
    const auto& [component, stage, info] = run.stages[i];
    auto& ctx = *contexts_[component];
    const auto begin = tw::observe::now_ns();
    const bool ok = run.guard(component, 0, 0, [&] { f(*run.plan.components[component], stage, ctx); });
    ctx.collect({stage, stage + 1}, tw::observe::now_ns() - begin);
    return ok && !run.flags.cancelled.load();
  }

  std::thread thread_;
  std::mutex joining_;
  std::atomic<bool> owed_{false};
  tw::run_detail::thread_log* log_ = nullptr;
  std::vector<std::unique_ptr<context>> contexts_;
};

/// `tw::run(job, policies::stagewise())`
inline tw::any_policy stagewise() {
  return {"stagewise", nullptr,
          [](std::unique_ptr<tw::run_detail::run_state> state,
             const void*) -> std::shared_ptr<tw::run_detail::engine> {
            return std::make_shared<stagewise_engine>(std::move(state));
          },
          1};
}

}  // namespace policies
