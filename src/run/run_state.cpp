#include <thalweg/model/ported.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/moment.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <thread>
#include <utility>

#include "distributed/graph/exchange.hpp"
#include "adapting.hpp"
#include "looks.hpp"
#include "run_sampler.hpp"

namespace THALWEG_NAMESPACE::run_detail {

thread_context::thread_context(run_state& r, thread_log& l, std::size_t c)
    : run(r), log(l), component(c), first_stage(r.first_of_component[c]) {
  cancelled = cut = &r.flags.cancelled;
  ending = &r.flags.ending;
  held = &r.flags.held;
  quota = &r.flags.quota;
  paused_ns = &r.flags.paused_ns;
  const auto& stages = r.plan.components[c]->stages();
  tallies.resize(stages.size());
  stop = r.flags.stop_operators.get_token();
  source_stop = r.flags.stop_sources.get_token();
}

void thread_context::back_off(std::chrono::nanoseconds delay) {
  const auto until = pipe::later(observe::now_ns(), delay.count());
  for (;;) {
    if (interrupted()) throw thalweg::cancelled{};
    const auto left = until - observe::now_ns();
    if (left <= 0) return;
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min<std::int64_t>(left, 10'000'000)));
  }
}

void thread_context::one_at_a_time(model::function_ref<void()> f) {
  run.errors.one_at_a_time(f);
}

void thread_context::arrived(std::int64_t due_ns) {
  if (run.observes()) log.arrived(observe::now_ns() - due_ns);
}

void thread_context::wait_while_paused() {
  run.flags.wait_while_paused();
}

void thread_context::counted(std::size_t first, std::size_t last) {
  if (!run.observes()) return;
  for (auto i = first; i < last; ++i) {
    auto& t = tallies[i];
    auto& c = log[first_stage + i];
    c.items_in.add(t.in - std::exchange(t.told_in, t.in));
    c.items_out.add(t.out - std::exchange(t.told_out, t.out));
  }
}

void thread_context::collect(model::range r, std::int64_t busy_ns, bool probe) {
  if (const auto waited = std::exchange(waited_ns, 0); waited > 0) {
    log[first_stage + r.first].wait_in_ns.add_ns(waited);
    busy_ns = std::max<std::int64_t>(0, busy_ns - waited);
  }
  const bool observes = run.observes();
  items_.clear();
  for (std::size_t i = r.first; i < r.last; ++i) {
    auto& t = tallies[i];
    auto& c = log[first_stage + i];
    if (observes) {
      items_.push_back(t.in != 0 ? t.in : t.out);
      c.items_in.add(t.in - t.told_in);
      c.items_out.add(t.out - t.told_out);
      c.runs.add();
    }
    if ((t.errors | t.skipped) != 0) {  // a stage may leave out what comes too late, without an error
      c.errors.add(t.errors);
      c.retries.add(t.retries);
      c.skipped.add(t.skipped);
      c.dead_lettered.add(t.dead_lettered);
    }
    t = {};
  }
  if (observes && probe && items_.front() > 0) {
    log[first_stage + r.first].probes.add(items_.front());
    log[first_stage + r.first].probe_ns.add_ns(busy_ns);
  }
  if (observes && busy_ns > 0)
    observe::share_time(log.span(first_stage + r.first, r.last - r.first), items_, busy_ns);
}

run_state::run_state(model::plan p, std::string policy_name, const run_options& o)
    : plan(std::move(p)),
      policy(std::move(policy_name)),
      options(o),
      statistics(plan, !options.trace.empty()),
      counters(statistics.layout.size(), options.observe) {
  for (std::size_t c = 0; c < plan.components.size(); ++c) {
    first_of_component.push_back(stages.size());
    const auto& infos = plan.components[c]->stages();
    for (std::size_t s = 0; s < infos.size(); ++s) stages.push_back({c, s, &infos[s]});
  }
  statistics.began = instant::now();
  seen_by = std::make_shared<looks>(stages.size(), statistics.began.ns, observe::now_ns);
}

run_state::~run_state() = default;

void run_state::fail(std::size_t component, const model::stage_failure& failure, std::int64_t position,
                     int replica) {
  const auto& info = plan.components[component]->stages()[failure.leaf];
  if (auto* const trace = statistics.trace.on())
    trace->mark(first_of_component[component] + failure.leaf, observe::now_ns(),
                "error: " + model::message_of(failure.cause));
  try {
    try {
      std::rethrow_exception(failure.cause);
    } catch (...) {
      throw stage_error(info.name, replica, model::message_of(failure.cause));
    }
  } catch (...) {
    fail(std::current_exception(), position);
  }
}

void run_state::fail(std::exception_ptr why, std::int64_t position) {
  errors.keep(std::move(why), position);
  flags.cancel();
}

void run_state::finished() {
  seen_by->run_over();
  flags.finish([this] {
    // A graph may be run again, or go, though somebody still looks at what this run has left.
    for (const auto& c : plan.components) {
      if (auto* const ports = c->ports()) ports->run_over();
    }
    if (const auto graph = std::exchange(plan.of_graph, nullptr)) graph->over();
    statistics.end();
    if (!options.at_end) return;
    const executing here(*this);
    try {
      options.at_end({make_report(true), errors.kept(), flags.cancelled.load(std::memory_order_acquire),
                      flags.ending.load(std::memory_order_acquire)});
    } catch (...) {
      errors.keep(std::current_exception(), std::numeric_limits<std::int64_t>::max() - 1);
    }
  });
}

bool run_state::decides() const noexcept {
  return others ? others->rank() == 0 : root.load(std::memory_order_acquire);
}

void run_state::look_around() {
  if (!observes()) return;
  cut_run_short();
  if (others) others->ask_for_figures();
}

void run_state::start_trace(std::size_t events_per_thread) {
  if (flags.done.load(std::memory_order_acquire)) throw error("start_trace: the run is over");
  const char* const here_alone = others ? "what this process has done, and none of the others" : "";
  statistics.trace.start(events_per_thread, here_alone);
  flags.cut_sources();  // so that what their run of items has done before is not part of the trace
}

std::string run_state::stop_trace() {
  cut_run_short();
  return statistics.trace.stop(flags.done.load(std::memory_order_acquire) ? statistics.ended.ns
                                                                          : observe::now_ns());
}

// Counts are kept per run of items, and if a source has become slow, a run can last for minutes: ends the
// current one, and gives its counts a moment to arrive.
void run_state::cut_run_short() {
  constexpr auto moment = std::chrono::milliseconds(1);
  constexpr auto between_looks = std::chrono::microseconds(50);
  const auto before = counters.given();
  flags.cut_sources();
  const auto until = std::chrono::steady_clock::now() + moment;
  while (!flags.done.load(std::memory_order_acquire) && !flags.paused() && counters.given() == before &&
         std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(between_looks);
  }
}

report run_state::make_report(bool final) const {
  report_data d;
  d.policy = policy;
  d.cores = cores();
  d.final = final;
  d.root = root;
  d.observed = observes();
  const bool ended = final || flags.done.load(std::memory_order_acquire);
  const auto now = ended ? statistics.ended : instant::now();
  d.elapsed = std::chrono::nanoseconds(now.ns - statistics.began.ns);
  d.cpu = std::chrono::nanoseconds(now.cpu_ns - statistics.began.cpu_ns);
  d.paused = std::chrono::nanoseconds(ended ? flags.paused_ns.load(std::memory_order_relaxed)
                                            : flags.paused_until(now.ns));
  statistics.add_to(d, counters);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].stage > 0) d.stages[i].inputs.push_back(i - 1);
  }
  for (const auto& e : plan.connections()) {
    const auto last = first_of_component[e.from] + plan.components[e.from]->stages().size() - 1;
    d.stages[first_of_component[e.to]].inputs.push_back(last);
  }
  return report(std::move(d));
}

}  // namespace THALWEG_NAMESPACE::run_detail
