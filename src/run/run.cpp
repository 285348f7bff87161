#include <thalweg/pattern/batch.hpp>
#include <thalweg/run/engine.hpp>
#include <thalweg/run/run.hpp>

#include <algorithm>
#include <fstream>

#include "../adapt/limits.hpp"
#include "adapting.hpp"
#include "next_monitor.hpp"
#include "parts.hpp"
#include "run_sampler.hpp"
#include "run_watch.hpp"
#include "signal_watch.hpp"
#include "stage_settings.hpp"
#include "tuning.hpp"

namespace THALWEG_NAMESPACE {

namespace run_detail {

namespace {

static_assert(adaptation::longest_run_length.count() == longest_run_ns);

execution started(model::plan&& plan, const any_policy& policy, const run_options& given, bool on_caller) {
  auto options = with_monitor(given);
  options.adapt = adapting::asked_for(options);
  apply_settings(plan, options.stages);
  for (const auto& c : plan.components) {
    for (const auto& s : c->stages()) {
      for (auto& problem : unusable_processors("stage '" + s.name + "'", s.opts.pin))
        plan.problems.push_back(std::move(problem));
    }
  }
  plan.use_by_default(options.on_error);
  for (auto& problem : run_sampler::problems(options)) plan.problems.push_back(std::move(problem));
  for (auto& problem : adapting::problems(options.adapt, options.observe))
    plan.problems.push_back(std::move(problem));
  plan.require_valid();
  const auto watch = watcher_of_runs();
  if (watch) watch->check();
  const auto graph = plan.of_graph;
  auto engine = policy.make(std::make_unique<run_state>(std::move(plan), policy.name(), options));
  if (graph) {
    graph->ended_by([run = std::weak_ptr(engine)] {
      if (const auto e = run.lock()) {
        e->cancel();
        e->join();
      }
    });
  }
  if (!options.stop_on_signals.empty())
    engine->attached = std::make_shared<signal_watch>(engine, options.stop_on_signals);
  auto& state = engine->state();
  // Of several ranks, the first one has opened it before all began.
  if (!state.others && state.root && run_sampler::asked_for(options))
    state.sampler = std::make_unique<run_sampler>(state);
  if (adapting::asked_of(state))
    state.adapts = std::make_unique<adapting>(*engine, std::exchange(state.options.adapt, std::nullopt));
  engine->start(on_caller);
  if (state.adapts) state.adapts->begin();
  if (state.sampler) state.sampler->begin();
  if (watch && state.decides()) {
    watch->begun(*engine);
    state.watch = watch;
  }
  return execution(std::move(engine));
}

// Of a run that is done: what has looked at it looks no more.
void let_go(engine& run) {
  auto& state = run.state();
  {
    const std::lock_guard hold(state.steering);
    if (state.adapts) state.adapts->end();
  }
  if (state.sampler) state.sampler->end();
  if (state.watch) state.watch->over(run);
}

}  // namespace

execution start(model::plan&& plan, const any_policy& policy, const run_options& options) {
  return started(std::move(plan), policy, options, false);
}

report run_here(model::plan&& plan, const any_policy& policy, const run_options& options) {
  return started(std::move(plan), policy, options, true).wait();
}

void engine::set_replicas(std::string_view, int) {
  throw error(
      "the policy '" + state_->policy +
      "' cannot change the number of replicas while it runs: run the job under another policy, such as "
      "thalweg::pool or thalweg::threads");
}

void engine::set_run_length(std::chrono::nanoseconds) {
  throw error("set_run_length: the policy '" + state_->policy + "' has no runs of items");
}

namespace {

error not_on_ranks(const run_state& run, const char* what) {
  return error(std::string(what) + ": this run is in one process, under the policy '" + run.policy +
               "': run it on several ranks, by thalweg::mpi");
}

}  // namespace

void engine::set_credits(std::string_view, int) {
  throw not_on_ranks(*state_, "set_credits");
}

void engine::set_message_bytes(std::size_t) {
  throw not_on_ranks(*state_, "set_message_bytes");
}

void engine::set_ranks(int) {
  throw not_on_ranks(*state_, "set_ranks");
}

namespace {

std::string stage_called(std::string_view name) {
  return "stage '" + std::string(name) + "' ";
}

}  // namespace

void engine::set_rate(std::string_view stage, const rate& r) {
  const std::string who = "set_rate: ";
  const auto number = stage_named(*state_, who, stage);
  if (state_->stages[number].info->source.told == nullptr)
    throw error(who + stage_called(stage) + "is no paced source, so it has no rate");
  if (const int rank = executed_by(number); rank >= 0)
    throw error(who + stage_called(stage) + "is executed by rank " + std::to_string(rank) +
                ": its rate can be set there");
  state_->statistics.set_rate(number, r, state_->flags.paused_until(observe::now_ns()));
}

void engine::set_batch(std::string_view stage, const batch_limits& limits) {
  const std::string who = "set_batch: ";
  const auto number = stage_named(*state_, who, stage);
  const auto& info = *state_->stages[number].info;
  if (info.batches == nullptr)
    throw error(who + stage_called(stage) + "is no tw::batch, so it has no limits");
  if (const auto problem = model::problem_of(limits); !problem.empty())
    throw error(who + stage_called(stage) + "cannot have these limits: " + problem);
  if (limits.interval.count() > 0 && !info.timed)
    throw error(who + stage_called(stage) +
                "was made without an interval, so nothing would wake it: make it with one, such as "
                "tw::batch(64, 1h), or with a tw::batching");
  if (info.farm >= 0 && state_->others)
    throw error(who + stage_called(stage) +
                "is in a farm, and the run is on several ranks: its limits stay as they are");
  if (const int rank = executed_by(number); rank >= 0)
    throw error(who + stage_called(stage) + "is executed by rank " + std::to_string(rank) +
                ": its limits can be set there");
  state_->statistics.set_batch(number, limits);
}

void engine::stop() {
  state_->flags.end_sources();
  wake();
}

void engine::cancel() {
  state_->flags.cancel();
  wake();
}

void engine::pause() {
  state_->flags.pause();
  wake();  // other ranks have to be told
}

void engine::resume() {
  state_->flags.resume();
  wake();
}

}  // namespace run_detail

execution::execution(std::shared_ptr<run_detail::engine> engine) : engine_(std::move(engine)) {}
execution::execution(execution&&) noexcept = default;

execution& execution::operator=(execution&& other) noexcept {
  if (this != &other) {
    execution ended(std::move(*this));
    engine_ = std::move(other.engine_);
  }
  return *this;
}

execution::~execution() {
  if (!engine_) return;
  if (!done()) engine_->cancel();
  engine_->join();
  run_detail::let_go(*engine_);
}

const std::shared_ptr<run_detail::engine>& execution::held() const {
  if (!engine_) throw error("this execution has been moved from: it holds no run");
  return engine_;
}

report execution::wait() {
  auto& state = held()->state();
  if (run_detail::executing::operators_of(state))
    throw error("wait: an operator or the .at_end of the same run has called it, and would wait for itself");
  engine_->join();
  run_detail::let_go(*engine_);
  std::exception_ptr not_written;
  // Of several ranks one writes what all have done.
  if (state.root) not_written = state.statistics.write_trace(state.options.trace);
  if (const auto why = state.errors.kept()) std::rethrow_exception(why);
  if (not_written) std::rethrow_exception(not_written);
  return state.make_report(true);
}

std::optional<report> execution::wait_for(std::chrono::nanoseconds most) {
  if (!held()->state().flags.wait_done(most)) return std::nullopt;
  return wait();
}

void execution::stop() {
  held()->stop();
}
void execution::cancel() {
  held()->cancel();
}
void execution::pause() {
  held()->pause();
}
void execution::resume() {
  held()->resume();
}
report execution::stats() const {
  auto& state = held()->state();
  state.look_around();
  return state.make_report(done());
}
void execution::start_trace(std::size_t events_per_thread) {
  held()->state().start_trace(events_per_thread);
}
std::string execution::stop_trace() {
  return held()->state().stop_trace();
}
std::string execution::last_of_trace(std::chrono::nanoseconds last, std::size_t most) const {
  const auto now = observe::now_ns();
  return held()->state().statistics.trace.so_far(
      {.after_ns = now - std::min<std::int64_t>(now, last.count()), .most = most, .now_ns = now});
}
bool execution::done() const {
  return held()->state().flags.done.load(std::memory_order_acquire);
}

void execution::set_replicas(std::string_view stage, int replicas) {
  if (replicas < 1)
    throw error("set_replicas: '" + std::string(stage) + "' must have at least 1 replica, not " +
                std::to_string(replicas));
  held()->set_replicas(stage, replicas);
}

void execution::set_run_length(std::chrono::nanoseconds work) {
  using adaptation::shortest_run_length, adaptation::longest_run_length;
  if (work.count() != 0 && (work < shortest_run_length || work > longest_run_length))
    throw error(
        "set_run_length: a run of items can hold 1 us to 500 us of work (or 0: as the run sees fit), not " +
        std::to_string(work.count()) + " ns");
  held()->set_run_length(work);
}

void execution::set_credits(std::string_view stage, int runs) {
  if (runs < 0 || runs > adaptation::most_credits)
    throw error("set_credits: '" + std::string(stage) + "' can have between 1 and " +
                std::to_string(adaptation::most_credits) +
                " runs in advance (or 0: as the run sees fit), not " + std::to_string(runs));
  held()->set_credits(stage, runs);
}

void execution::set_message_bytes(std::size_t bytes) {
  if (bytes == 0) throw error("set_message_bytes: a message must have room for at least 1 byte");
  held()->set_message_bytes(bytes);
}

void execution::set_ranks(int ranks) {
  if (ranks < 1) throw error("set_ranks: at least 1 rank must execute stages, not " + std::to_string(ranks));
  held()->set_ranks(ranks);
}

void execution::set_rate(std::string_view stage, const rate& r) {
  held()->set_rate(stage, r);
}

look execution::look_into(std::string_view from, std::string_view to, const look_options& options) {
  return held()->look_into(from, to, options);
}

look execution::look_into(std::string_view stage, const look_options& options) {
  return held()->look_into({}, stage, options);
}

void execution::set_batch(std::string_view stage, const batch_limits& limits) {
  held()->set_batch(stage, limits);
}

void execution::adapt(std::optional<thalweg::adapt> how) {
  held()->steer(std::move(how));
}

void execution::set_replicas(std::initializer_list<std::pair<std::string_view, int>> changes) {
  // What each would refuse is found out before any is made.
  const auto& stages = held()->state().stages;
  for (const auto& [stage, replicas] : changes) {
    const auto s =
        std::find_if(stages.begin(), stages.end(), [&](const auto& x) { return x.info->name == stage; });
    if (s == stages.end())
      throw error("set_replicas: there is no stage '" + std::string(stage) + "', so nothing is changed" +
                  meant_stage(held()->state(), stage));
    if (s->info->farm < 0)
      throw error("set_replicas: stage '" + std::string(stage) +
                  "' is serial: put it into a tw::farm. Nothing is changed");
    if (replicas < 1)
      throw error("set_replicas: '" + std::string(stage) + "' must have at least 1 replica, not " +
                  std::to_string(replicas) + ", so nothing is changed");
  }
  for (const auto& [stage, replicas] : changes) set_replicas(stage, replicas);
}

}  // namespace THALWEG_NAMESPACE
