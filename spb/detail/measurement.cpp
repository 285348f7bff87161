#include "spb/detail/measurement.hpp"

#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/histogram.hpp>
#include <thalweg/observe/resources.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "spb/api.hpp"
#include "spb/detail/recorder.hpp"

namespace spb {

std::atomic<std::uint64_t> Metrics::my_items_counter{0};

namespace detail {
namespace {

constexpr double to_ms = 1e-6;
constexpr std::int64_t instant_period_ns = 10'000'000;
constexpr std::size_t instant_samples = 12'000;

struct state {
  std::mutex lock;
  measurement::settings asked;
  std::atomic<bool> runs{false};
  sample first;
  std::unique_ptr<sampler> monitor;  // for `-monitor`
  std::unique_ptr<sampler> recent;   // for what programs ask while the stream runs
  results found;
};

state& current() {
  static state one;
  return one;
}

latency_result summed_up(const thalweg::observe::histogram& times) {
  if (times.empty()) return {};
  const auto quantile = [&](double q) { return static_cast<double>(times.quantile(q)) * to_ms; };
  return {times.count(),  times.mean() * to_ms, quantile(0.5),
          quantile(0.95), quantile(0.99),       static_cast<double>(times.max()) * to_ms};
}

double rate(const sample& from, const sample& to) {
  const auto time = static_cast<double>(to.time_ns - from.time_ns) * 1e-9;
  return time > 0 ? static_cast<double>(to.elements - from.elements) / time : 0;
}

double mean_latency_ms(const sample& from, const sample& to) {
  if (to.timed <= from.timed) return 0;
  return (to.latency_ns - from.latency_ns) / static_cast<double>(to.timed - from.timed) * to_ms;
}

std::vector<results::interval> intervals(const std::vector<sample>& all) {
  std::vector<results::interval> result;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const auto& from = all[i - 1];
    const auto& to = all[i];
    const auto time = static_cast<double>(to.time_ns - from.time_ns);
    if (time <= 0) continue;
    result.push_back({static_cast<double>(to.time_ns - all.front().time_ns) * 1e-9, rate(from, to),
                      mean_latency_ms(from, to), static_cast<double>(to.cpu_ns - from.cpu_ns) / time,
                      to.resident_bytes});
  }
  return result;
}

// The sample of so long ago, from which on others are taken if nobody asked before.
sample since(double seconds) {
  auto& s = current();
  const std::lock_guard alone(s.lock);
  if (!s.recent) s.recent = std::make_unique<sampler>(instant_period_ns, false, instant_samples);
  const auto moment = thalweg::observe::now_ns() - static_cast<std::int64_t>(seconds * 1e9);
  const auto found = s.recent->at_or_before(moment);
  return found.time_ns <= moment ? found : s.first;
}

}  // namespace

std::uint64_t elements_so_far() {
  if (const auto own = Metrics::my_items_counter.load(std::memory_order_relaxed)) return own;
  return current().asked.counts_at_source ? totals::taken() : totals::given();
}

void measurement::begin(const settings& asked) {
  auto& s = current();
  const std::lock_guard alone(s.lock);
  totals::clear();
  Metrics::my_items_counter = 0;
  s.asked = asked;
  s.found = {};
  s.recent.reset();
  latency_wanted = asked.latency;
  s.first = take_sample(true);
  if (asked.monitor_ms > 0)
    s.monitor = std::make_unique<sampler>(std::int64_t{asked.monitor_ms} * 1'000'000, true);
  s.runs = true;
}

bool measurement::running() {
  return current().runs;
}

void measurement::end() {
  auto& s = current();
  const std::lock_guard alone(s.lock);
  if (!s.runs.exchange(false)) return;
  const auto last = take_sample(true);
  s.recent.reset();
  auto& found = s.found;
  if (s.monitor) {
    s.monitor->stop();
    found.samples = intervals(s.monitor->all());
    s.monitor.reset();
  }
  found.elements = last.elements;
  found.seconds = static_cast<double>(last.time_ns - s.first.time_ns) * 1e-9;
  found.throughput = rate(s.first, last);
  found.cpu_seconds = static_cast<double>(last.cpu_ns - s.first.cpu_ns) * 1e-9;
  found.peak_bytes = thalweg::observe::process_resources().peak_bytes;
  if (!s.asked.latency) return;
  found.latency = summed_up(*totals::latency());
  for (std::size_t i = 0; i < s.asked.operators.size(); ++i)
    found.operators.push_back({s.asked.operators[i], summed_up(*totals::of_operator(i))});
}

const results& measurement::found() {
  return current().found;
}

double measurement::throughput_of_last(double seconds) {
  if (!running()) return 0;
  const auto from = since(seconds);
  return rate(from, take_sample(false));
}

double measurement::throughput() {
  return running() ? rate(current().first, take_sample(false)) : 0;
}

double measurement::latency_ms_of_last(double seconds) {
  latency_wanted = true;
  if (!running()) return 0;
  const auto from = since(seconds);
  return mean_latency_ms(from, take_sample(false));
}

double measurement::latency_ms() {
  latency_wanted = true;
  return running() ? mean_latency_ms(current().first, take_sample(false)) : 0;
}

}  // namespace detail
}  // namespace spb
