#include "spb/detail/measurement.hpp"

#include <thalweg/model/codec.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/energy.hpp>
#include <thalweg/observe/hardware_counters.hpp>
#include <thalweg/observe/histogram.hpp>
#include <thalweg/observe/resources.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <unistd.h>

#include "spb/api.hpp"
#include "spb/detail/arrival_log.hpp"
#include "spb/detail/failure.hpp"
#include "spb/detail/feed.hpp"
#include "spb/detail/progress.hpp"
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
  thalweg::observe::resource_usage used;  // until the beginning
  std::optional<thalweg::observe::energy_meter> energy;
  std::optional<thalweg::observe::hardware_counters> hardware;
  std::unique_ptr<detail::monitor> monitor;  // for `-monitor`
  std::unique_ptr<memory_of_samples> recent;
  std::unique_ptr<detail::progress> progress;
  std::unique_ptr<arrival_log> arrivals;
  std::atomic<std::uint16_t> sources{0};
  results found;
};

state& current() {
  static state one;
  return one;
}

latency_result summed_up(const thalweg::observe::histogram& times) {
  if (times.empty()) return {};
  const auto ms = [](std::int64_t ns) { return static_cast<double>(ns) * to_ms; };
  latency_result all;
  all.count = times.count();
  all.mean = times.mean() * to_ms;
  all.min = ms(times.min());
  all.p50 = ms(times.quantile(0.5));
  all.p95 = ms(times.quantile(0.95));
  all.p99 = ms(times.quantile(0.99));
  all.p99_9 = ms(times.quantile(0.999));
  all.p99_99 = ms(times.quantile(0.9999));
  all.max = ms(times.max());
  return all;
}

std::vector<std::pair<double, std::uint64_t>> buckets_of(const thalweg::observe::histogram& times) {
  std::vector<std::pair<double, std::uint64_t>> all;
  for (std::size_t i = 0; i < times.buckets; ++i)
    if (const auto count = times.count_in(i))
      all.emplace_back(static_cast<double>(times.highest_of(i)) * to_ms, count);
  return all;
}

// The sample of so long ago. From the first call on some are taken.
sample since(double seconds) {
  auto& s = current();
  const std::lock_guard alone(s.lock);
  if (!s.recent)
    s.recent = std::make_unique<memory_of_samples>(instant_period_ns, instant_samples,
                                                   [] { return take_sample(false); });
  const auto moment = thalweg::observe::now_ns() - static_cast<std::int64_t>(seconds * 1e9);
  const auto found = s.recent->at_or_before(moment);
  return found.time_ns <= moment ? found : s.first;
}

// What a process tells the first one of its run.
struct told_figures {
  std::string host;
  double cpu_seconds = 0;
  std::vector<double> of_threads;
  // Peak memory, switches to wait and forced, faults minor and major, elements passed over.
  std::array<std::uint64_t, 6> counts{};
  std::vector<std::vector<std::pair<std::int64_t, std::uint64_t>>> operators;
};

// The middle of each bucket that is not empty, and how many it has.
std::vector<std::pair<std::int64_t, std::uint64_t>> counts_in(const thalweg::observe::histogram& times) {
  std::vector<std::pair<std::int64_t, std::uint64_t>> all;
  for (std::size_t i = 0; i < times.buckets; ++i)
    if (const auto count = times.count_in(i))
      all.emplace_back(std::midpoint(times.lowest_of(i), times.highest_of(i)), count);
  return all;
}

}  // namespace
}  // namespace detail
}  // namespace spb

template <>
struct thalweg::codec<spb::detail::told_figures>
    : thalweg::codec_of_members<&spb::detail::told_figures::host, &spb::detail::told_figures::cpu_seconds,
                                &spb::detail::told_figures::of_threads, &spb::detail::told_figures::counts,
                                &spb::detail::told_figures::operators> {};

namespace spb::detail {

std::uint64_t elements_so_far() {
  if (const auto own = Metrics::my_items_counter.load(std::memory_order_relaxed)) return own;
  return current().asked.counts_at_source ? totals::taken() : totals::given();
}

std::uint64_t elements_so_far_from(std::uint16_t source) {
  return current().asked.counts_at_source ? totals::taken_by(source) : totals::given_of(source);
}

std::uint16_t next_source() {
  return ++current().sources;
}

void results::for_each_interval(std::size_t step, const std::function<void(const interval&)>& f) const {
  std::optional<sample> begin, from;
  std::size_t seen = 0;
  interval one;
  samples.for_each([&](const sample& to) {
    if (!begin) begin = from = to;
    one.max_ms = std::max(one.max_ms, static_cast<double>(to.max_ns) * to_ms);
    // Of several windows taken together, these are not known exactly: the greatest is what held for all.
    one.p50_ms = std::max(one.p50_ms, static_cast<double>(to.p50_ns) * to_ms);
    one.p99_ms = std::max(one.p99_ms, static_cast<double>(to.p99_ns) * to_ms);
    const auto time = static_cast<double>(to.time_ns - from->time_ns);
    if (seen++ % step != 0 && seen != samples.size()) return;
    if (time <= 0) return;
    one.seconds = static_cast<double>(to.time_ns - begin->time_ns) * 1e-9;
    one.throughput = rate_between(*from, to);
    one.latency_ms = mean_latency_ms(*from, to);
    one.rate = to.rate;
    const auto items = to.items - from->items;
    one.batch = items == 0 ? 0 : static_cast<double>(to.taken - from->taken) / static_cast<double>(items);
    one.cores = static_cast<double>(to.cpu_ns - from->cpu_ns) / time;
    one.resident_bytes = to.resident_bytes;
    f(one);
    one = {};
    from = to;
  });
}

void measurement::begin(const settings& asked) {
  auto& s = current();
  const std::lock_guard alone(s.lock);
  totals::clear();
  Metrics::my_items_counter = 0;
  s.asked = asked;
  s.found = {};
  s.sources = 0;
  s.recent.reset();
  latency_wanted = asked.latency;
  s.energy.emplace();
  s.hardware.emplace();
  s.used = thalweg::observe::process_resources();
  s.first = take_sample(true);
  if (!asked.arrivals.empty()) {
    s.arrivals = std::make_unique<arrival_log>(asked.arrivals, s.first.time_ns);
    log_of_arrivals = s.arrivals.get();
  }
  if (asked.monitor_ms > 0)
    s.monitor = std::make_unique<detail::monitor>(std::int64_t{asked.monitor_ms} * 1'000'000);
  if (!asked.progress.empty()) s.progress = std::make_unique<detail::progress>(asked.progress);
  s.runs = true;
}

bool measurement::running() {
  return current().runs;
}

void measurement::end() {
  auto& s = current();
  const std::lock_guard alone(s.lock);
  if (!s.runs.exchange(false)) return;
  s.progress.reset();
  const auto last = take_sample(true);
  const auto resources = thalweg::observe::process_resources();
  const auto used = resources.since(s.used);
  auto& found = s.found;
  found.joules = s.energy->joules();
  found.hardware = s.hardware->counts();
  s.hardware.reset();
  s.recent.reset();
  if (s.monitor) {
    s.monitor->stop();
    found.samples = s.monitor->take();
    s.monitor.reset();
  }
  const auto since_beginning = [&](std::int64_t time_ns) {
    return static_cast<double>(time_ns - s.first.time_ns) * 1e-9;
  };
  found.elements = last.elements;
  found.passed_over = common_feed().passed_over();
  found.seconds = since_beginning(last.time_ns);
  found.throughput = rate_between(s.first, last);
  found.cpu_seconds = static_cast<double>(last.cpu_ns - s.first.cpu_ns) * 1e-9;
  for (const auto ns : totals::cpu_of_threads())
    found.cpu_seconds_of_threads.push_back(static_cast<double>(ns) * 1e-9);
  found.voluntary_switches = used.voluntary_switches;
  found.involuntary_switches = used.involuntary_switches;
  found.minor_faults = used.minor_faults;
  found.major_faults = used.major_faults;
  found.peak_bytes = resources.peak_bytes;
  for (std::uint16_t i = 1; i <= std::min<std::uint16_t>(s.sources, most_sources); ++i) {
    const auto elements = totals::taken_by(i);
    found.sources.push_back({elements, static_cast<double>(elements) / std::max(found.seconds, 1e-9),
                             summed_up(*totals::of_source(i))});
  }
  if (latency_wanted) {
    const auto all = totals::latency();
    const auto moments = totals::extremes();
    found.latency = summed_up(*all);
    found.histogram = buckets_of(*all);
    if (!all->empty()) {
      found.min_at = since_beginning(moments.shortest_ns);
      found.max_at = since_beginning(moments.longest_ns);
    }
  }
  if (s.asked.latency) {
    for (std::size_t i = 0; i < s.asked.operators.size(); ++i)
      found.operators.push_back({s.asked.operators[i], summed_up(*totals::of_operator(i))});
  }
  if (auto log = std::exchange(s.arrivals, nullptr)) {
    log_of_arrivals = nullptr;
    if (failed()) return;  // and there is no file
    totals::flush_arrivals(*log);
    log->close();
  }
}

const results& measurement::found() {
  return current().found;
}

std::string measurement::told() {
  const auto& s = current();
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  told_figures mine;
  mine.host = host.data();
  mine.cpu_seconds = s.found.cpu_seconds;
  mine.of_threads = s.found.cpu_seconds_of_threads;
  mine.counts = {s.found.peak_bytes,   s.found.voluntary_switches, s.found.involuntary_switches,
                 s.found.minor_faults, s.found.major_faults,       s.found.passed_over};
  for (std::size_t i = 0; i < s.found.operators.size(); ++i)
    mine.operators.push_back(counts_in(*totals::of_operator(i)));
  std::vector<std::byte> bytes;
  thalweg::encode(mine, bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void measurement::add(const std::vector<std::string>& told_by_all) {
  auto& found = current().found;
  found.cpu_seconds = 0;
  found.cpu_seconds_of_threads.clear();
  found.hardware = {};  // it is that of this process alone
  std::array<std::uint64_t, 6> counts{};
  std::vector<std::unique_ptr<thalweg::observe::histogram>> operators(found.operators.size());
  for (auto& one : operators) one = std::make_unique<thalweg::observe::histogram>();
  for (const auto& told : told_by_all) {
    const auto one = thalweg::decode<told_figures>(std::as_bytes(std::span(told)));
    found.processes.push_back({one.host, one.cpu_seconds, one.counts.front()});
    found.cpu_seconds += one.cpu_seconds;
    found.cpu_seconds_of_threads.insert(found.cpu_seconds_of_threads.end(), one.of_threads.begin(),
                                        one.of_threads.end());
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += one.counts[i];
    for (std::size_t i = 0; i < std::min(operators.size(), one.operators.size()); ++i)
      for (const auto& [ns, count] : one.operators[i]) operators[i]->record(ns, count);
  }
  std::tie(found.peak_bytes, found.voluntary_switches, found.involuntary_switches, found.minor_faults,
           found.major_faults, found.passed_over) = std::tuple_cat(counts);
  for (std::size_t i = 0; i < operators.size(); ++i) found.operators[i].time = summed_up(*operators[i]);
}

double measurement::cores() {
  const auto now = take_sample(true);
  const auto& first = current().first;
  const auto time = now.time_ns - first.time_ns;
  return running() && time > 0 ? static_cast<double>(now.cpu_ns - first.cpu_ns) / static_cast<double>(time)
                               : 0;
}

double measurement::throughput_of_last(double seconds) {
  if (!running()) return 0;
  const auto from = since(seconds);
  return rate_between(from, take_sample(false));
}

double measurement::throughput() {
  return running() ? rate_between(current().first, take_sample(false)) : 0;
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

}  // namespace spb::detail
