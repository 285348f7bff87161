#include <thalweg/observe/clock.hpp>
#include <thalweg/run/run_flags.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace THALWEG_NAMESPACE::run_detail {

namespace {

// Added to the time of day, more might overflow.
constexpr std::chrono::nanoseconds longest_wait = std::chrono::hours(24 * 365);

}  // namespace

void run_flags::add_quota(std::atomic<std::size_t>& q) {
  const std::lock_guard hold(mutex_);
  quotas_.push_back(&q);
}

void run_flags::cut_sources() noexcept {
  const std::lock_guard hold(mutex_);
  cut();
}

void run_flags::cut() noexcept {
  quota.store(0);
  for (auto* q : quotas_) q->store(0);
}

// Sets the flag that says why the sources shall not be called, and keeps the one that is being called from
// being called again.
void run_flags::hold_sources(std::atomic<bool>& why) {
  const std::lock_guard hold(mutex_);
  why.store(true, std::memory_order_release);
  held.store(true);
  cut();
}

void run_flags::end_sources() noexcept {
  hold_sources(ending);
  stop_sources.request_stop();
  release_waiters();
}

void run_flags::cancel() noexcept {
  cancelled.store(true, std::memory_order_release);
  hold_sources(ending);
  stop_sources.request_stop();
  stop_operators.request_stop();
  release_waiters();
}

void run_flags::pause() {
  {
    const std::lock_guard hold(mutex_);
    if (pausing_.load(std::memory_order_relaxed) || done.load(std::memory_order_relaxed)) return;
    pause_began_.store(observe::now_ns(), std::memory_order_relaxed);
  }
  hold_sources(pausing_);
}

void run_flags::resume() {
  const std::lock_guard hold(mutex_);
  end_pause();
  held.store(ending.load(std::memory_order_relaxed));
  changed_.notify_all();
}

void run_flags::end_pause() {
  if (!pausing_.load(std::memory_order_relaxed)) return;
  paused_ns.fetch_add(observe::now_ns() - pause_began_.load(std::memory_order_relaxed),
                      std::memory_order_relaxed);
  pausing_.store(false, std::memory_order_release);
}

bool run_flags::begins_to_finish() {
  const std::lock_guard hold(mutex_);
  if (std::exchange(finishing_, true)) return false;
  end_pause();
  return true;
}

void run_flags::wait_while_paused() {
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [&] { return !paused() || ending.load(std::memory_order_relaxed); });
}

bool run_flags::wait_while_paused(std::chrono::nanoseconds most) {
  std::unique_lock hold(mutex_);
  return !changed_.wait_for(hold, std::min(most, longest_wait),
                            [&] { return !paused() || ending.load(std::memory_order_relaxed); });
}

std::int64_t run_flags::paused_until(std::int64_t now) const noexcept {
  const auto before = paused_ns.load(std::memory_order_relaxed);
  return paused() ? before + now - pause_began_.load(std::memory_order_relaxed) : before;
}

void run_flags::wait_done() {
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [&] { return done.load(std::memory_order_relaxed); });
}

bool run_flags::wait_done(std::chrono::nanoseconds most) {
  std::unique_lock hold(mutex_);
  return changed_.wait_for(hold, std::min(most, longest_wait),
                           [&] { return done.load(std::memory_order_relaxed); });
}

void run_flags::release_waiters() {
  const std::lock_guard hold(mutex_);
  changed_.notify_all();
}

}  // namespace THALWEG_NAMESPACE::run_detail
