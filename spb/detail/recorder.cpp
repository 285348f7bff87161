#include "spb/detail/recorder.hpp"

#include <algorithm>
#include <ctime>
#include <mutex>

#include "spb/detail/arrival_log.hpp"

namespace spb::detail {
namespace {

// Those of threads that have ended still count. Never destroyed: threads of some interfaces end behind
// `main`.
struct registry {
  std::mutex lock;
  std::vector<std::unique_ptr<recorder>> all;
};

registry& recorders() {
  static registry& one = *new registry;  // NOLINT(cppcoreguidelines-owning-memory)
  return one;
}

std::int64_t cpu_time_of(pthread_t living) {
  clockid_t clock{};
  timespec time{};
  if (::pthread_getcpuclockid(living, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

// Notes what a thread has used when it ends.
class life {
 public:
  life() = default;
  life(const life&) = delete;
  life& operator=(const life&) = delete;
  ~life() {
    const std::lock_guard alone(recorders().lock);
    if (of_stream != stream_now.load(std::memory_order_relaxed) || of_this_thread == nullptr) return;
    of_this_thread->cpu_ns_ = thalweg::observe::thread_cpu_ns() - of_this_thread->cpu_ns_;
    of_this_thread->ended_ = true;
  }
};

recorder::recorder() : thread_(::pthread_self()), cpu_ns_(thalweg::observe::thread_cpu_ns()) {}

recorder& make_mine() {
  static thread_local life noted;
  static_cast<void>(noted);
  auto made = std::make_unique<recorder>();
  auto& [lock, all] = recorders();
  const std::lock_guard alone(lock);
  all.push_back(std::move(made));
  of_stream = stream_now.load(std::memory_order_relaxed);
  return *(of_this_thread = all.back().get());
}

recorder::histogram& recorder::made(cell& one) {
  auto* there = one.load(std::memory_order_relaxed);
  if (there == nullptr) {
    there = owned_.emplace_back(std::make_unique<histogram>()).get();
    one.store(there, std::memory_order_release);
  }
  return *there;
}

void recorder::arrived(const arrival& one) {
  auto& all = made(latency_);
  if (one.latency_ns < all.min()) shortest_at_.store(one.time_ns, std::memory_order_relaxed);
  if (one.latency_ns > all.max()) longest_at_.store(one.time_ns, std::memory_order_relaxed);
  all.record(one.latency_ns, one.elements);
  if (one.source != 0)
    made(sources_[std::min(one.source, most_sources)]).record(one.latency_ns, one.elements);
  if (auto* log = log_of_arrivals.load(std::memory_order_acquire)) {
    arrivals_.push_back(one);
    if (arrivals_.size() == arrival_log::worth_writing) {
      log->write(arrivals_);
      arrivals_.clear();
    }
  }
}

void recorder::worked(std::size_t operation, std::int64_t time_ns, std::uint64_t elements) {
  if (elements == 0) return;
  made(operators_[operation]).record(time_ns / static_cast<std::int64_t>(elements), elements);
}

template <class F> void totals::for_each(F f) {
  auto& [lock, all] = recorders();
  const std::lock_guard alone(lock);
  for (const auto& one : all) f(*one);
}

std::uint64_t totals::taken() {
  std::uint64_t sum = 0;
  for_each([&](const recorder& one) { sum += one.taken_.load(std::memory_order_relaxed); });
  return sum;
}

std::uint64_t totals::given() {
  std::uint64_t sum = 0;
  for_each([&](const recorder& one) { sum += one.given_.load(std::memory_order_relaxed); });
  return sum;
}

std::uint64_t totals::items() {
  std::uint64_t sum = 0;
  for_each([&](const recorder& one) { sum += one.items_.load(std::memory_order_relaxed); });
  return sum;
}

std::uint64_t totals::taken_by(std::uint16_t source) {
  std::uint64_t sum = 0;
  for_each([&](const recorder& one) {
    if (std::min(one.source_.load(std::memory_order_relaxed), most_sources) == source)
      sum += one.taken_.load(std::memory_order_relaxed);
  });
  return sum;
}

std::uint64_t totals::given_of(std::uint16_t source) {
  std::uint64_t sum = 0;
  for_each([&](const recorder& one) {
    sum += one.given_of_[std::min(source, most_sources)].load(std::memory_order_relaxed);
  });
  return sum;
}

template <class Which> std::unique_ptr<thalweg::observe::histogram> totals::merged(Which which) {
  auto all = std::make_unique<thalweg::observe::histogram>();
  for_each([&](const recorder& one) {
    if (const auto* times = which(one).load(std::memory_order_acquire)) all->merge(*times);
  });
  return all;
}

std::unique_ptr<thalweg::observe::histogram> totals::latency() {
  return merged([](const recorder& one) -> auto& { return one.latency_; });
}

std::unique_ptr<thalweg::observe::histogram> totals::of_operator(std::size_t operation) {
  return merged([&](const recorder& one) -> auto& { return one.operators_[operation]; });
}

std::unique_ptr<thalweg::observe::histogram> totals::of_source(std::uint16_t source) {
  return merged([&](const recorder& one) -> auto& { return one.sources_[source]; });
}

template <class Which> totals::sum totals::summed(Which which) {
  sum all;
  for_each([&](const recorder& one) {
    if (const auto* times = which(one).load(std::memory_order_acquire)) {
      all.count += times->count();
      all.nanoseconds += times->sum();
    }
  });
  return all;
}

totals::sum totals::latency_sum() {
  return summed([](const recorder& one) -> auto& { return one.latency_; });
}

totals::sum totals::latency_sum_of(std::uint16_t source) {
  return summed([&](const recorder& one) -> auto& { return one.sources_[std::min(source, most_sources)]; });
}

totals::moments totals::extremes() {
  moments found;
  auto shortest = std::numeric_limits<std::int64_t>::max();
  std::int64_t longest = -1;
  for_each([&](const recorder& one) {
    const auto* times = one.latency_.load(std::memory_order_acquire);
    if (times == nullptr) return;
    if (times->min() < shortest) {
      shortest = times->min();
      found.shortest_ns = one.shortest_at_.load(std::memory_order_relaxed);
    }
    if (times->max() > longest) {
      longest = times->max();
      found.longest_ns = one.longest_at_.load(std::memory_order_relaxed);
    }
  });
  return found;
}

std::vector<std::int64_t> totals::cpu_of_threads() {
  std::vector<std::int64_t> all;
  for_each([&](const recorder& one) {
    all.push_back(one.ended_ ? one.cpu_ns_ : cpu_time_of(one.thread_) - one.cpu_ns_);
  });
  return all;
}

void totals::flush_arrivals(arrival_log& to) {
  for_each([&](recorder& one) {
    to.write(one.arrivals_);
    one.arrivals_.clear();
  });
}

void totals::clear() {
  auto& [lock, all] = recorders();
  const std::lock_guard alone(lock);
  all.clear();
  items_of_objects.store(0);
  stream_now.fetch_add(1);
}

}  // namespace spb::detail
