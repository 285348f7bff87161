#include <thalweg/flow/pace.hpp>
#include <thalweg/observe/text.hpp>
#include <thalweg/pattern/batch.hpp>
#include <thalweg/run/run_statistics.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace THALWEG_NAMESPACE::run_detail {

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

std::vector<std::string> names_of_stages(const model::plan& plan) {
  std::vector<std::string> names;
  for (const auto& c : plan.components) {
    for (const auto& s : c->stages()) names.push_back(s.name);
  }
  return names;
}

}  // namespace

run_statistics::run_statistics(const model::plan& plan, bool traces) : trace(names_of_stages(plan), traces) {
  for (const auto& c : plan.components) {
    for (const auto& s : c->stages()) {
      layout.push_back(
          {&s, s.replicas == automatic ? 1 : s.replicas, s.opts.capacity == automatic ? 0 : s.opts.capacity});
    }
  }
}

void run_statistics::end() {
  const std::lock_guard hold(mutex_);
  ended = instant::now();
}

void run_statistics::resized(const std::vector<std::size_t>& farm, int from, int to) {
  const std::lock_guard hold(mutex_);
  if (ended.ns != 0) return;
  const auto now = observe::now_ns();
  for (const auto i : farm) layout[i].replicas = to;
  resizes_.push_back({std::chrono::nanoseconds(now - began.ns), layout[farm.front()].info->name, from, to});
  if (auto* const t = trace.on())
    t->mark(farm.front(), now, std::to_string(from) + " to " + std::to_string(to) + " replicas");
}

// Under the lock, so that the changes are noted in the order in which they are made.
void run_statistics::set_rate(std::size_t stage, const rate& r, std::int64_t paused_ns) {
  const std::lock_guard hold(mutex_);
  if (ended.ns != 0) return;
  const auto now = observe::now_ns();
  const auto& info = *layout[stage].info;
  const double from = info.source.told->at(now - paused_ns).value_or(0), to = r.at(0);
  info.source.told->set(r);
  rate_changes_.push_back({std::chrono::nanoseconds(now - began.ns), info.name, from, to});
  if (auto* const t = trace.on())
    t->mark(stage, now, "from " + observe::rate_text(from) + " to " + observe::rate_text(to));
}

void run_statistics::set_batch(std::size_t stage, const batch_limits& limits) {
  const std::lock_guard hold(mutex_);
  if (ended.ns != 0) return;
  const auto now = observe::now_ns();
  const auto& info = *layout[stage].info;
  const auto from = info.batches->now();
  info.batches->set(limits);
  batch_changes_.push_back({std::chrono::nanoseconds(now - began.ns), info.name, from, limits});
  if (auto* const t = trace.on())
    t->mark(stage, now, "batch from " + to_string(from) + " to " + to_string(limits));
}

void run_statistics::decided(decision made) {
  const std::lock_guard hold(mutex_);
  if (auto* const t = trace.on())
    t->mark(0, began.ns + made.at.count(), made.planner + ": " + made.what + ": " + made.reason);
  decisions_.push_back(std::move(made));
}

void run_statistics::reached(std::size_t count, double rate) {
  const std::lock_guard hold(mutex_);
  for (auto i = decisions_.size() - std::min(count, decisions_.size()); i < decisions_.size(); ++i)
    decisions_[i].reached = rate;
}

void run_statistics::learn(elsewhere all) {
  const std::lock_guard hold(mutex_);
  elsewhere_ = std::move(all);
}

void run_statistics::note(std::string what) {
  const std::lock_guard hold(mutex_);
  later_notes_.push_back(std::move(what));
}

// Among whom a stage is divided: the ranks, if several execute it; the parts of the keys; replicas, also
// those that have not worked yet. Nothing is known of the replicas of another rank. Under the lock.
observe::stage_shares run_statistics::shares_of(std::size_t stage,
                                                const observe::stage_shares& counted) const {
  if (stage < elsewhere_.shares.size() && elsewhere_.shares[stage].by == observe::division::rank)
    return elsewhere_.shares[stage];
  const bool away = !elsewhere_.ranks_of_stage.empty() && elsewhere_.ranks_of_stage[stage] != std::vector{0};
  if (layout[stage].info->farm < 0 || away) return {};
  auto all = counted;
  if (all.by == observe::division::key_part) return all;
  all.by = observe::division::replica;
  for (int i = 0; i < layout[stage].replicas; ++i) (void)all.at(i);
  return all;
}

void run_statistics::add_to(report_data& d, const run_counters& counters) const {
  d.inlined = inlined.load(std::memory_order_relaxed);
  d.notes = notes;

  const std::lock_guard hold(mutex_);
  d.workers = workers + elsewhere_.workers;
  d.cpu += std::chrono::nanoseconds(elsewhere_.cpu_ns);
  d.cores = std::max(d.cores, elsewhere_.cores);
  d.ranks = elsewhere_.ranks;
  for (std::size_t r = 0; r < elsewhere_.at_ns.size(); ++r)
    d.ranks[r].age =
        std::chrono::nanoseconds(std::max<std::int64_t>(0, observe::now_ns() - elsewhere_.at_ns[r]));
  d.channels = elsewhere_.channels;
  d.notes.insert(d.notes.end(), elsewhere_.notes.begin(), elsewhere_.notes.end());
  d.notes.insert(d.notes.end(), later_notes_.begin(), later_notes_.end());
  auto all = counters.snapshot();
  const auto shares = counters.shares();
  all += elsewhere_.counted;
  d.work = all.work;
  const bool from_due =
      std::any_of(layout.begin(), layout.end(), [](const auto& s) { return s.info->source.paced; });
  const bool sampled = all.sampled && !from_due;
  observe::histogram together;
  for (const auto& [sink, latency] : all.latencies) together.merge(latency);
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const auto& info = *layout[i].info;
    stage_data s;
    s.name = info.name;
    s.kind = info.pattern;
    s.totals = d.observed ? all.stages[i] : errors_of(all.stages[i]);
    if (!d.observed && counters.dropped_before) s.totals.dropped = counters.dropped_before(i);
    if (!elsewhere_.ranks_of_stage.empty()) s.ranks = elsewhere_.ranks_of_stage[i];
    s.replicas = layout[i].replicas;
    if (d.observed) s.shares = shares_of(i, shares[i]);
    s.dealt = layout[i].dealt;
    s.farm = info.farm >= 0;
    s.segment = layout[i].segment;
    s.reorder_capacity = layout[i].reorder_slots;
    s.blocking = info.opts.blocking;
    s.paced = info.source.paced;
    if (info.source.told) s.due_rate = info.source.told->at(began.ns + (d.elapsed - d.paused).count());
    if (info.batches && info.batches->followed()) s.batch = info.batches->now();
    s.capacity = static_cast<std::size_t>(layout[i].capacity);
    d.dropped += s.totals.dropped;
    if (info.out == nullptr) d.items += s.totals.items_in;
    if (const auto latency = all.latencies.find(i); latency != all.latencies.end())
      s.latency = std::make_shared<latency_report>(latency->second, from_due, sampled);
    d.stages.push_back(std::move(s));
  }
  d.latency = latency_report(together, from_due, sampled);
  d.resizes = resizes_;
  d.rate_changes = rate_changes_;
  d.batch_changes = batch_changes_;
  d.decisions = decisions_;
}

std::exception_ptr run_statistics::write_trace(const std::string& path) {
  std::exception_ptr failed;
  std::call_once(trace_written_, [&] {
    try {
      if (const auto* const t = trace.of_whole_run()) t->write(path);
    } catch (...) {
      failed = std::current_exception();
    }
  });
  return failed;
}

}  // namespace THALWEG_NAMESPACE::run_detail
