#include <thalweg/flow/paced.hpp>
#include <thalweg/flow/wait.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/pause.hpp>

#include <algorithm>
#include <ctime>

#include <sys/prctl.h>

namespace THALWEG_NAMESPACE::flow {

namespace {

constexpr std::int64_t spin_ns = 60'000;           // what a sleep may come late by
constexpr std::int64_t attention_ns = 20'000'000;  // how long a stopped source may sleep on

void sleep_until(std::int64_t when) {
  const timespec t{when / 1'000'000'000, when % 1'000'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
}

// The kernel gathers the timers of 50 µs into one by default; a schedule wants its own.
void want_exact_timers() {
  thread_local const bool done = prctl(PR_SET_TIMERSLACK, 1'000, 0, 0, 0) == 0;
  (void)done;
}

}  // namespace

bool wait_until(std::int64_t due_ns, bool spin, bool (*held)(void* of), void* of) {
  want_exact_timers();
  const auto margin = spin ? spin_ns : 0;
  for (auto now = observe::now_ns(); now < due_ns - margin; now = observe::now_ns()) {
    if (held(of)) return false;
    sleep_until(std::min(due_ns - margin, now + attention_ns));
  }
  while (observe::now_ns() < due_ns) {
    if (held(of)) return false;
    for (int i = 0; i < 8; ++i) pipe::cpu_pause();
  }
  return !held(of);
}

bool wait_until(std::int64_t due_ns, bool spin, model::context& ctx) {
  const auto now = ctx.now();
  if (now >= due_ns) return !ctx.source_held();
  if (ctx.virtual_now_ns != nullptr) {
    ctx.not_before_ns = due_ns;
    return false;
  }
  if (ctx.no_wait) return false;
  struct counting {
    model::context& ctx;
    std::int64_t begin;
    ~counting() { ctx.waited_ns += observe::now_ns() - begin; }
  } const counted{ctx, now};
  return wait_until(
      due_ns, spin, [](void* of) { return static_cast<model::context*>(of)->source_held(); }, &ctx);
}

}  // namespace THALWEG_NAMESPACE::flow
