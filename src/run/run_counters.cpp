#include <thalweg/run/run_counters.hpp>

#include <algorithm>

namespace THALWEG_NAMESPACE::run_detail {

void thread_log::arrived(std::int64_t latency_ns, std::uint64_t items, bool sampled) {
  if (!observes_) return;
  if (!latency_) {
    latency_ = std::make_unique<observe::histogram>();
    published_.store(latency_.get(), std::memory_order_release);
  }
  latency_->record(std::max<std::int64_t>(0, latency_ns), items);
  if (sampled) sampled_.store(true, std::memory_order_relaxed);
}

void thread_log::add_latencies(std::map<std::size_t, observe::histogram>& of_sinks, bool& sampled) const {
  if (const auto* seen = published_.load(std::memory_order_acquire))
    of_sinks[first_ + counters_.size() - 1].merge(*seen);
  sampled = sampled || sampled_.load(std::memory_order_relaxed);
}

run_totals& run_totals::operator+=(const run_totals& more) {
  stages.resize(std::max(stages.size(), more.stages.size()));
  for (std::size_t i = 0; i < more.stages.size(); ++i) stages[i] += more.stages[i];
  work += more.work;
  for (const auto& [sink, latency] : more.latencies) latencies[sink].merge(latency);
  sampled = sampled || more.sampled;
  return *this;
}

thread_log& run_counters::new_log() {
  return new_log(0, stages_);
}

thread_log& run_counters::new_log(std::size_t first, std::size_t count, log_share share) {
  const std::lock_guard hold(mutex_);
  const auto number = logs_.size();
  logs_.push_back(std::make_unique<thread_log>(static_cast<int>(number), first, count, observes_, share));
  return *logs_.back();
}

run_totals run_counters::snapshot() const {
  const std::lock_guard hold(mutex_);
  run_totals all;
  all.stages.resize(stages_);
  for (const auto& log : logs_) {
    for (auto i = log->first(); i < log->last(); ++i) all.stages[i] += log->find(i)->snapshot();
    if (observes_) all.work += log->work.snapshot();
    log->add_latencies(all.latencies, all.sampled);
  }
  for (std::size_t i = 0; dropped_before && i < stages_; ++i) all.stages[i].dropped += dropped_before(i);
  return all;
}

std::vector<observe::stage_shares> run_counters::shares() const {
  const std::lock_guard hold(mutex_);
  std::vector<observe::stage_shares> all(stages_);
  for (const auto& log : logs_) {
    if (log->of.by == observe::division::none) continue;
    for (auto i = log->first(); i < log->last(); ++i) {
      all[i].by = log->of.by;
      all[i].at(log->of.number).add(log->find(i)->snapshot());
    }
  }
  return all;
}

std::uint64_t run_counters::given() const {
  const std::lock_guard hold(mutex_);
  std::uint64_t all = 0;
  for (const auto& log : logs_) {
    if (const auto* counters = log->find(0)) all += counters->snapshot().items_out;
  }
  return all;
}

}  // namespace THALWEG_NAMESPACE::run_detail
