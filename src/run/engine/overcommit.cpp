#include "overcommit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <pthread.h>
#include <unistd.h>

#include "graph_engine.hpp"
#include "nodes.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

constexpr std::int64_t least_interval_ns = 2'000'000;
constexpr std::int64_t interval_of_each_ns = 1'000'000;  // per thread: looking at all of them takes time
constexpr std::int64_t resting = 10;                     // times longer while nothing may be changed
constexpr std::int64_t longest_interval_ns = 2'000'000'000;
constexpr std::size_t items_of_each = 2;            // per thread, before an interval counts
constexpr double mostly_waits = 0.5;                // of the time of all threads
constexpr double mostly_works = 0.25;               // less than that is spent in waiting
constexpr double worth_it = 1.2;                    // by so much the stream must become quicker
constexpr double hardly_slower = 0.95;              // with fewer threads, at least
constexpr std::int64_t works_for_ns = 100'000'000;  // so long they have hardly waited
constexpr std::int64_t first_pause_ns = 500'000'000;
constexpr std::int64_t longest_pause_ns = 60'000'000'000;

// How long a thread has waited for a core; -1 where the system does not say.
std::int64_t delay_ns_of(pid_t thread) {
  const auto name = "/proc/self/task/" + std::to_string(thread) + "/schedstat";
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(name.c_str(), "r"), &std::fclose);
  unsigned long long cpu = 0, delay = 0;
  if (!file || std::fscanf(file.get(), "%llu %llu", &cpu, &delay) != 2) return -1;
  return static_cast<std::int64_t>(delay);
}

}  // namespace

std::size_t overcommit::most_threads() {
  return std::clamp<std::size_t>(16 * static_cast<std::size_t>(cores()), 64, 256);
}

void overcommit::joined(const thread_group& s, const thread_log& log) {
  clockid_t clock{};
  if (pthread_getcpuclockid(pthread_self(), &clock) != 0) return;
  const std::lock_guard hold(lock_);
  executors_.push_back({&s, &log, clock, gettid()});
}

bool overcommit::look(std::int64_t now) {
  if (net_.run().adapted.load(std::memory_order_relaxed)) return false;
  if (!found_) find_units();
  for (auto& u : units_) consider(u, now);
  return std::any_of(units_.begin(), units_.end(), [](const unit& u) { return u.began_ns != 0; });
}

void overcommit::find_units() {
  found_ = true;
  const auto& how = net_.how();
  auto* const shared = dynamic_cast<thread_group*>(net_.home_);
  if (how.sequential || net_.run().others) return;
  if (how.may_overcommit && shared != nullptr)
    units_.push_back({.shared = shared, .least = shared->size(), .most = shared->most()});
  for (std::size_t s = 0; s < net_.farm_of_stage_.size(); ++s) {
    auto* const f = net_.farm_of_stage_[s];
    const auto& info = *net_.run().stages[s].info;
    const bool again = s > 0 && net_.farm_of_stage_[s - 1] == f;
    // Where items are dealt out, which replica gets which depends on how many there are.
    if (f == nullptr || again || info.replicas != automatic || info.most_replicas != 0 ||
        how.most_replicas != automatic || info.opts.schedule.how() != schedule::kind::on_demand)
      continue;
    if (f->home() == shared && shared != nullptr) {
      if (how.may_overcommit) units_.front().farms.push_back(f);
    } else if (const auto* const each = dynamic_cast<farm*>(f); each != nullptr && each->own_threads) {
      units_.push_back({.farms = {f}, .least = f->replicas(), .most = std::min(most_threads(), f->most())});
    }
  }
  for (auto& u : units_) u.size = u.least;
}

void overcommit::begin(unit& u, std::int64_t now) {
  u.began_ns = now;
  u.done = items_done(u);
  u.used_ns = 0;
  for (const auto& e : threads_of(u)) u.used_ns += used_ns_of(e);
}

void overcommit::consider(unit& u, std::int64_t now) {
  if (u.size >= u.most && u.size == u.least) return;
  // A size that is being tried may be more than there is work for: then, too, it has to be worth it.
  if (!u.tries && !is_saturated(u)) {
    u.began_ns = u.works_since_ns = 0;
    u.delay_ns = -1;
    return;
  }
  const auto lasted = now - u.began_ns;
  if (u.began_ns == 0 || lasted > longest_interval_ns) return begin(u, now);
  const auto items = items_done(u) - u.done;
  const bool rests = now < u.not_before_ns && !u.tries;
  const auto least = std::max(least_interval_ns, static_cast<std::int64_t>(u.size) * interval_of_each_ns);
  if (lasted < (rests ? resting : 1) * least || items < items_of_each * u.size) return;
  const auto waits = waiting(u, lasted);
  const auto rate = static_cast<double>(items) / static_cast<double>(lasted);
  begin(u, now);
  if (std::exchange(u.settles, false)) return;  // the new threads were still starting
  if (std::exchange(u.tries, false)) {
    if (rate < (u.size > u.size_before ? worth_it : hardly_slower) * u.rate_before) {
      u.not_before_ns = now + u.pause_ns;
      u.pause_ns = std::min(2 * u.pause_ns, longest_pause_ns);
      u.works_since_ns = 0;
      return resize(u, u.size_before);
    }
    u.pause_ns = first_pause_ns;
  }
  if (std::isnan(waits) || !is_saturated(u)) return;
  const bool works = waits < mostly_works;
  if (!works) {
    u.works_since_ns = 0;
  } else if (u.works_since_ns == 0) {
    u.works_since_ns = now;
  }
  if (now < u.not_before_ns) return;
  if (works && u.size > u.least && now - u.works_since_ns >= works_for_ns) {
    try_size(u, std::max(u.least, u.size / 2), rate);
  } else if (waits >= mostly_waits && u.size < u.most) {
    try_size(u, std::min(2 * u.size, u.most), rate);
  }
}

void overcommit::try_size(unit& u, std::size_t n, double rate) {
  u.tries = u.settles = true;
  u.size_before = u.size;
  u.rate_before = rate;
  u.pause_ns = std::max(u.pause_ns, first_pause_ns);
  resize(u, n);
}

// All threads have something to do, and items wait for one more. What waits in the middle of a call for
// another stage does not wait for the outside.
bool overcommit::is_saturated(const unit& u) const {
  const auto waits = [](const replicated* f) { return f->items_wait(); };
  const auto anything = std::any_of(u.farms.begin(), u.farms.end(), waits);
  if (u.shared == nullptr) return anything && u.farms.front()->all_work();
  return !u.shared->anybody_idle() && (anything || u.shared->ready() > 0) && !net_.somebody_is_blocked();
}

std::uint64_t overcommit::items_done(const unit& u) const {
  std::uint64_t sum = 0;
  for (const auto* n : net_.nodes_) {
    const bool counts = u.shared != nullptr ? n->home == u.shared : n->home == u.farms.front()->home();
    if (counts) sum += n->items_done();
  }
  return sum;
}

std::vector<overcommit::executor> overcommit::threads_of(const unit& u) {
  const std::lock_guard hold(lock_);
  std::vector<executor> found;
  std::copy_if(executors_.begin(), executors_.end(), std::back_inserter(found), [&](const executor& e) {
    return u.shared != nullptr ? e.group == u.shared : u.farms.front()->works_with(*e.group);
  });
  return found;
}

// How long a thread has worked, or has had nothing to do.
std::int64_t overcommit::used_ns_of(const executor& e) {
  timespec t{};
  const auto worked =
      clock_gettime(e.clock, &t) == 0 ? std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec : 0;
  return worked + static_cast<std::int64_t>(e.log->work.idle_ns.value());
}

// Which share of the time of all threads was spent in waiting for the outside; not a number: known
// after the next interval, or never if the system does not count waits for a core.
double overcommit::waiting(unit& u, std::int64_t lasted_ns) {
  const auto threads = threads_of(u);
  const auto all = static_cast<double>(lasted_ns) * static_cast<double>(u.size);
  auto used = -u.used_ns;
  for (const auto& e : threads) used += used_ns_of(e);
  const auto before = std::exchange(u.delay_ns, -1);
  const auto idle = 1 - static_cast<double>(used) / all;
  if (idle < mostly_works) return idle;  // the common case: nothing more is read
  u.delay_ns = 0;
  for (const auto& e : threads) {
    const auto ns = delay_ns_of(e.thread);
    if (ns < 0) return u.delay_ns = -1, std::nan("");
    u.delay_ns += ns;
  }
  if (before < 0) return std::nan("");
  return idle - static_cast<double>(u.delay_ns - before) / all;
}

void overcommit::resize(unit& u, std::size_t n) {
  u.delay_ns = -1;
  try {
    for (auto* f : u.farms) net_.resize_here(*f, n, false);
  } catch (const std::system_error&) {
    u.most = u.size;  // the system has no more threads: it goes on with those there are
    u.tries = false;
    return;
  }
  if (u.shared != nullptr) {
    const std::lock_guard one_at_a_time(net_.resizing_);
    if (net_.run().adapted.load()) return;  // since a moment ago
    net_.resize_home(n);
  }
  u.size = n;
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
