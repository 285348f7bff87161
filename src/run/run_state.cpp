#include <thalweg/observe/clock.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <fstream>
#include <thread>
#include <utility>

namespace thalweg::run_detail {

namespace {

// What is known of a stage that was not observed: what went wrong.
observe::stage_totals errors_of(const observe::stage_totals& all) {
  observe::stage_totals t;
  t.errors = all.errors;
  t.retries = all.retries;
  t.skipped = all.skipped;
  t.dead_lettered = all.dead_lettered;
  return t;
}

}  // namespace

thread_context::thread_context(run_state& r, thread_log& l, std::size_t c)
    : run(r), log(l), component(c), first_stage(r.first_of_component[c]) {
  cancelled = cut = &r.cancelled;
  ending = &r.ending;
  held = &r.held;
  quota = &r.quota;
  paused_ns = &r.paused_ns;
  const auto& stages = r.plan.components[c]->stages();
  tallies.resize(stages.size());
  stop = r.stop_operators.get_token();
  source_stop = r.stop_sources.get_token();
}

void thread_context::back_off(std::chrono::nanoseconds delay) {
  const auto until = observe::now_ns() + delay.count();
  for (;;) {
    if (interrupted()) throw thalweg::cancelled{};
    const auto left = until - observe::now_ns();
    if (left <= 0) return;
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min<std::int64_t>(left, 10'000'000)));
  }
}

void thread_context::bury(const error_policy::handler& handler, const void* item,
                          const std::exception_ptr& why) {
  const std::lock_guard one_at_a_time(run.dead_letters);
  handler(item, why);
}

void thread_context::arrived(std::int64_t due_ns) {
  if (run.observes()) log.arrived(observe::now_ns() - due_ns);
}

void thread_context::wait_while_paused() {
  run.wait_while_paused();
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
    log.waited_ns += waited;
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

void thread_log::arrived(std::int64_t latency_ns, std::uint64_t items, bool sampled) {
  if (!observes_) return;
  if (!latency_) {
    latency_ = std::make_unique<observe::histogram>();
    published_.store(latency_.get(), std::memory_order_release);
  }
  latency_->record(std::max<std::int64_t>(0, latency_ns), items);
  if (sampled) sampled_.store(true, std::memory_order_relaxed);
}

void thread_log::add_latencies(observe::histogram& sum, bool& sampled) const {
  if (const auto* seen = published_.load(std::memory_order_acquire)) sum.merge(*seen);
  sampled = sampled || sampled_.load(std::memory_order_relaxed);
}

run_state::run_state(model::plan p, std::string policy_name, const run_options& o)
    : plan(std::move(p)), policy(std::move(policy_name)), options(o) {
  for (std::size_t c = 0; c < plan.components.size(); ++c) {
    first_of_component.push_back(stages.size());
    const auto& infos = plan.components[c]->stages();
    for (std::size_t s = 0; s < infos.size(); ++s) stages.push_back({c, s, &infos[s]});
  }
  for (const auto& s : stages) replicas.push_back(s.info->replicas == automatic ? 1 : s.info->replicas);
  segments.assign(stages.size(), -1);
  for (const auto& s : stages)
    capacities.push_back(s.info->opts.capacity == automatic ? 0 : s.info->opts.capacity);
  reorder_slots.assign(stages.size(), 0);
  if (!options.trace.empty()) {
    std::vector<std::string> names;
    names.reserve(stages.size());
    for (const auto& s : stages) names.push_back(s.info->name);
    trace = std::make_unique<observe::trace_recorder>(std::move(names));
  }
  started_ns = observe::now_ns();
  cpu_began = observe::process_cpu_ns();
}

run_state::~run_state() = default;

void run_state::fail(std::size_t component, const model::stage_failure& failure, std::int64_t position,
                     int replica) {
  const auto& info = plan.components[component]->stages()[failure.leaf];
  if (trace)
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
  {
    const std::lock_guard hold(mutex_);
    if (!error_ || position < error_position_) {
      error_ = std::move(why);
      error_position_ = position;
    }
  }
  cancel();
}

void run_state::cancel() noexcept {
  cancelled.store(true, std::memory_order_release);
  hold_sources(ending);
  stop_sources.request_stop();
  stop_operators.request_stop();
  release_waiters();
}

void run_state::end_sources() noexcept {
  hold_sources(ending);
  stop_sources.request_stop();
  release_waiters();
}

// Sets the flag that says why the sources shall not be called, and keeps the one that is being called from
// being called again.
void run_state::hold_sources(std::atomic<bool>& why) {
  const std::lock_guard hold(mutex_);
  why.store(true, std::memory_order_release);
  held.store(true);
  cut_sources();
}

void run_state::cut_sources() noexcept {
  quota.store(0);
  for (auto* q : quotas_) q->store(0);
}

void run_state::add_quota(std::atomic<std::size_t>& q) {
  const std::lock_guard hold(mutex_);
  quotas_.push_back(&q);
}

void run_state::release_waiters() {
  const std::lock_guard hold(mutex_);
  changed_.notify_all();
}

void run_state::pause() {
  {
    const std::lock_guard hold(mutex_);
    if (pausing.load(std::memory_order_relaxed) || done.load(std::memory_order_relaxed)) return;
    pause_began.store(observe::now_ns(), std::memory_order_relaxed);
  }
  hold_sources(pausing);
}

void run_state::resume() {
  const std::lock_guard hold(mutex_);
  end_pause();
  held.store(ending.load(std::memory_order_relaxed));
  changed_.notify_all();
}

void run_state::end_pause() {
  if (!pausing.load(std::memory_order_relaxed)) return;
  paused_ns.fetch_add(observe::now_ns() - pause_began.load(std::memory_order_relaxed),
                      std::memory_order_relaxed);
  pausing.store(false, std::memory_order_release);
}

void run_state::wait_while_paused() {
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [&] { return !paused() || ending.load(std::memory_order_relaxed); });
}

bool run_state::wait_while_paused(std::chrono::nanoseconds most) {
  std::unique_lock hold(mutex_);
  return !changed_.wait_for(hold, most, [&] { return !paused() || ending.load(std::memory_order_relaxed); });
}

thread_log& run_state::new_log() {
  return new_log(0, stages.size());
}

thread_log& run_state::new_log(std::size_t first, std::size_t count) {
  const std::lock_guard hold(logs_mutex_);
  const auto number = logs_.size();
  logs_.push_back(std::make_unique<thread_log>(static_cast<int>(number), first, count, observes()));
  return *logs_.back();
}

void run_state::resized(const std::vector<std::size_t>& farm, int from, int to) {
  const std::lock_guard hold(logs_mutex_);
  const auto now = observe::now_ns();
  for (const auto i : farm) replicas[i] = to;
  resizes.push_back({std::chrono::nanoseconds(now - started_ns), stages[farm.front()].info->name, from, to});
  if (trace) trace->mark(farm.front(), now, std::to_string(from) + " to " + std::to_string(to) + " replicas");
}

void run_state::fused(std::vector<int> segment_of_stage) {
  const std::lock_guard hold(logs_mutex_);
  segments = std::move(segment_of_stage);
}

void run_state::finished() {
  {
    const std::lock_guard hold(mutex_);
    if (done.load(std::memory_order_relaxed)) return;
    end_pause();
    plan.keeps.reset();  // a graph may be run again, though somebody still looks at what this run has left
    ended_ns = observe::now_ns();
    cpu_ended = observe::process_cpu_ns();
    done.store(true, std::memory_order_release);
    changed_.notify_all();
  }
}

void run_state::wait_done() {
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [&] { return done.load(std::memory_order_relaxed); });
}

std::exception_ptr run_state::error() const {
  const std::lock_guard hold(mutex_);
  return error_;
}

std::int64_t run_state::error_position() const {
  const std::lock_guard hold(mutex_);
  return error_position_;
}

void run_state::cut_run_short() {
  if (!observes()) return;
  constexpr auto moment = std::chrono::milliseconds(1);
  constexpr auto between_looks = std::chrono::microseconds(50);
  const auto given = [&] {
    const std::lock_guard hold(logs_mutex_);
    std::uint64_t all = 0;
    for (const auto& log : logs_) {
      if (const auto* counters = log->find(0)) all += counters->snapshot().items_out;
    }
    return all;
  };
  const auto before = given();
  {
    const std::lock_guard hold(mutex_);
    cut_sources();
  }
  const auto until = std::chrono::steady_clock::now() + moment;
  while (!done.load(std::memory_order_acquire) && !paused() && given() == before &&
         std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(between_looks);
  }
}

run_state::counts& run_state::counts::operator+=(const counts& more) {
  stages.resize(std::max(stages.size(), more.stages.size()));
  for (std::size_t i = 0; i < more.stages.size(); ++i) stages[i] += more.stages[i];
  work += more.work;
  latency.merge(more.latency);
  sampled = sampled || more.sampled;
  return *this;
}

run_state::counts run_state::counted_here() const {
  counts all;
  all.stages.resize(stages.size());
  for (const auto& log : logs_) {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      if (const auto* counters = log->find(i)) all.stages[i] += counters->snapshot();
    }
    if (observes()) all.work += log->work.snapshot();
    log->add_latencies(all.latency, all.sampled);
  }
  for (std::size_t i = 0; dropped_before && i < stages.size(); ++i)
    all.stages[i].dropped += dropped_before(i);
  return all;
}

run_state::counts run_state::counted() const {
  const std::lock_guard hold(logs_mutex_);
  return counted_here();
}

void run_state::learn(elsewhere all) {
  const std::lock_guard hold(logs_mutex_);
  elsewhere_ = std::move(all);
}

report run_state::make_report(bool final) const {
  report_data d;
  d.policy = policy;
  d.workers = workers;
  d.cores = cores();
  d.inlined = inlined.load(std::memory_order_relaxed);
  d.final = final;
  d.root = root;
  d.notes = notes;
  d.observed = observes();
  const bool ended = done.load(std::memory_order_acquire);
  const auto now = ended ? ended_ns : observe::now_ns();
  d.elapsed = std::chrono::nanoseconds(now - started_ns);
  d.cpu = std::chrono::nanoseconds((ended ? cpu_ended : observe::process_cpu_ns()) - cpu_began);
  auto paused_for = paused_ns.load(std::memory_order_relaxed);
  if (paused() && !ended) paused_for += now - pause_began.load(std::memory_order_relaxed);
  d.paused = std::chrono::nanoseconds(paused_for);

  const std::lock_guard hold(logs_mutex_);
  d.cpu += std::chrono::nanoseconds(elsewhere_.cpu_ns);
  d.cores = std::max(d.cores, elsewhere_.cores);
  d.ranks = elsewhere_.ranks;
  d.channels = elsewhere_.channels;
  d.notes.insert(d.notes.end(), elsewhere_.notes.begin(), elsewhere_.notes.end());
  const auto connections = plan.connections();
  auto all = counted_here();
  all += elsewhere_.counted;
  d.work = all.work;
  bool from_due = false;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto& info = *stages[i].info;
    stage_data s;
    s.name = info.name;
    s.kind = info.pattern;
    s.totals = observes() ? all.stages[i] : errors_of(all.stages[i]);
    if (!observes() && dropped_before) s.totals.dropped = dropped_before(i);
    if (!elsewhere_.ranks_of_stage.empty()) s.ranks = elsewhere_.ranks_of_stage[i];
    s.replicas = replicas[i];
    s.farm = info.farm >= 0;
    s.segment = segments[i];
    s.reorder_capacity = reorder_slots[i];
    s.blocking = info.opts.blocking;
    s.paced = info.source.paced;
    s.capacity = static_cast<std::size_t>(capacities[i]);
    d.dropped += s.totals.dropped;
    if (stages[i].stage > 0) {
      s.inputs.push_back(i - 1);
    } else {
      for (const auto& e : connections) {
        if (e.to == stages[i].component)
          s.inputs.push_back(first_of_component[e.from] + plan.components[e.from]->stages().size() - 1);
      }
    }
    if (info.out == nullptr) d.items += s.totals.items_in;
    from_due = from_due || info.source.paced;
    d.stages.push_back(std::move(s));
  }
  d.latency = latency_report(all.latency, from_due, all.sampled && !from_due);
  d.resizes = resizes;
  return report(std::move(d));
}

}  // namespace thalweg::run_detail
