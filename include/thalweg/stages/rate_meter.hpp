/// `rate_meter`: how many items per second pass.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/stage_traits.hpp>
#include <thalweg/pipe/moment.hpp>
#include <thalweg/stages/clock.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {

namespace stages {

template <class In, class F> struct rate_meter_op {
  // This many looks at the clock per interval, if items come steadily.
  static constexpr std::int64_t looks = 16;

  F handler;
  std::int64_t interval;
  std::uint64_t total = 0;
  std::uint64_t reported = 0;
  std::int64_t since = 0;
  std::uint64_t next_look = 1;
  std::int64_t looked = 0;
  std::uint64_t stride = 1;
  // Read by whichever thread waits for it.
  std::atomic<std::int64_t> when{std::numeric_limits<std::int64_t>::max()};

  void start() {
    since = looked = now_ns();
    when.store(pipe::later(since, interval), std::memory_order_relaxed);
  }

  template <class Frame, class T, class Next> THALWEG_INLINE void step(Frame& f, T&& item, Next&& next) {
    if (++total >= next_look) [[unlikely]]
      look(f);
    next(std::forward<T>(item));
  }

  template <class Frame, class Next> void finish(Frame& f, Next&) { report(f, now_ns()); }

  [[nodiscard]] std::int64_t deadline() const { return when.load(std::memory_order_relaxed); }

  template <class Frame, class Next> void on_time(Frame& f, Next&) {
    if (const auto now = now_ns(); now >= deadline()) report(f, now);
  }

 private:
  // Timers are looked at between two runs of items, and one run can last: a look at the clock now and then,
  // at intervals that follow the rate.
  template <class Frame> void look(Frame& f) {
    const auto now = now_ns();
    stride = now - looked < interval / looks ? stride * 2 : std::max<std::uint64_t>(1, stride / 2);
    looked = now;
    next_look = total + stride;
    if (now >= deadline()) report(f, now);
  }

  template <class Frame> void report(Frame& f, std::int64_t now) {
    const auto seconds = static_cast<double>(std::max<std::int64_t>(1, now - since)) * 1e-9;
    const auto rate = static_cast<double>(total - reported) / seconds;
    reported = total;
    since = now;
    // What was missed is not made up for: the next report is one for the next interval that begins.
    const auto due = deadline();
    const auto missed = (std::max(now, due) - due) / interval;
    when.store(pipe::later(due + missed * interval, interval), std::memory_order_relaxed);
    f.call([&] { handler(rate, total); });
  }
};

template <class F> struct rate_meter_stage : model::stage_defaults {
  static constexpr auto pattern = "rate_meter";
  static constexpr bool groups = true;
  static constexpr bool one_to_one = true;
  static constexpr bool shares = false;
  template <class In> static constexpr bool accepts = true;
  template <class In> static constexpr bool ends = true;
  template <class In> using output = In;

  F handler;
  std::chrono::nanoseconds interval;
  model::kept_options opts;

  [[nodiscard]] bool timed() const { return interval.count() > 0; }
  template <class In> auto make() { return rate_meter_op<In, F>{handler, interval.count()}; }
  void check(model::stage_info& info) const {
    if (interval.count() <= 0) info.problems.emplace_back("its interval must be positive");
    if (model::is_null_callable(handler))
      info.problems.emplace_back("its handler is null: there is nothing to call");
    info.only_stops = "its handler is not called for single items, so there is none to retry";
  }
};

}  // namespace stages

/// Passes everything on, and calls `handler(double items_per_second, std::uint64_t total)` once per
/// `interval`, and once at the end of the stream: with the rate since the previous call (at first, since the
/// beginning) and the number of all items so far. When nothing comes, the rate is 0. If the thread is busy
/// elsewhere for longer than an interval, missed calls are left out.
///
/// It counts items and looks at the clock some 16 times per interval. Under `pool` and `threads` it has its
/// own thread, like all timed stages; under `sequential` silence is reported when its one thread gets there.
/// The handler is called by one thread at a time. When a run fails or is cancelled, the last call does not
/// come.
///
/// Order: deterministic. In a farm each replica has its own meter, so the farm must be `.unordered`; the
/// handler is then copied for each.
///
/// Errors: an interval that is not positive, a null handler, `.on_error` and an ordered farm around it are an
/// `invalid_job`; what the handler throws ends the run.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// std::uint64_t passed = 0;
/// tw::run(tw::source(std::views::iota(0, 1000)) |
///         tw::rate_meter([&](double, std::uint64_t total) { passed = total; }, 1s) |
///         tw::sink([](int) {}));
/// assert(passed == 1000);
/// ```
template <class F> auto rate_meter(F handler, std::chrono::nanoseconds interval, options opts = {}) {
  static_assert(std::invocable<F&, double, std::uint64_t>,
                "thalweg::rate_meter: the handler must be callable as handler(double items_per_second, "
                "std::uint64_t total)");
  static_assert(std::copy_constructible<F>,
                "thalweg::rate_meter: the handler must be copyable, since each run has its own");
  return model::make_pipeline(stages::rate_meter_stage<F>{{}, std::move(handler), interval, std::move(opts)});
}

}  // namespace THALWEG_NAMESPACE
