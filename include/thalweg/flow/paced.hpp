/// `paced`: a source that follows a schedule.
#pragma once

#include <thalweg/flow/pace.hpp>
#include <thalweg/flow/wait.hpp>
#include <thalweg/pattern/source.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace THALWEG_NAMESPACE {

namespace flow {

/// Waits until a moment of the steady clock, in nanoseconds: sleeps, and spins for the last microseconds
/// where the schedule is dense. Returns false as soon as `ctx` says that the source must not be called; on
/// virtual time, if that moment has not come.
bool wait_until(std::int64_t due_ns, bool spin, model::context& ctx);

}  // namespace flow

namespace model {

template <class In, class F> struct paced_op : pull_op<In, F> {
  flow::pacemaker pace;
  bool held = false;
  bool due = false;  // once an item is due a retry waits for nothing: a pause here would begin its tries anew

  paced_op(F f, const thalweg::pace& p, bool spin, std::shared_ptr<flow::told_rate> told)
      : pull_op<In, F>{{std::move(f)}}, pace(p, spin, std::move(told)) {}

  template <class Frame, class Next> bool step(Frame& f, Next&& next) {
    held = false;
    if (!due) {
      switch (pace.wait(f.ctx)) {
        case flow::pacemaker::outcome::held_up:
          held = true;
          return false;
        case flow::pacemaker::outcome::over:
          return false;
        case flow::pacemaker::outcome::due:
          due = true;
          break;
      }
    }
    f.ctx.due = pace.due_ns();
    const bool more = pull_op<In, F>::step(f, std::forward<Next>(next));
    due = false;
    pace.called();  // a call that fails and is made again is for the same place in the schedule
    return more;
  }

  /// Whether `step` gave nothing because it had to wait, not because the stream has ended.
  [[nodiscard]] bool held_up() const noexcept { return held; }
};

template <class Fn> struct paced_stage : stage_defaults {
  static constexpr bool is_source = true;
  static constexpr bool paced = true;
  static constexpr bool shares = false;
  static constexpr auto pattern = "source";
  static constexpr bool one_to_one = true;
  template <class In> static constexpr bool accepts = std::is_same_v<In, nothing>;
  template <class In> static constexpr bool accepts_shared = false;
  template <class In> using output = typename pull_stage<Fn>::template output<In>;
  template <class In> static constexpr bool ends = paced_op<In, Fn>::ends;

  Fn fn;
  thalweg::pace follows;
  kept_options opts;
  std::shared_ptr<flow::told_rate> told = {};  // of the run that this copy of the blueprint is for

  template <class In> auto make() { return paced_op<In, Fn>(std::move(fn), follows, opts->spin, told); }
  void check(stage_info& info) {
    check_function(fn, info);
    info.source.told = told = std::make_shared<flow::told_rate>();
    if (!follows.valid()) info.problems.emplace_back("its rate must be positive");
  }
};

}  // namespace model

/// A source with a schedule: item k (k = 0, 1, ...) is due when k items have come by the rate, counted from
/// the first call. `f() -> std::optional<T>` is called when the item is due; if the stream falls behind,
/// items come as fast as it takes them until it has caught up, or as the pace says (`when_late`). Latency in
/// the report is counted from each item's due time, so falling behind is not hidden. The stream ends with
/// `f`, or where the rate gives no more items (the end of a trace of moments).
///
/// Order and threads: as `source`. `p`: a number of items a second, a `rate`, or a `pace`, which can be
/// changed while the stream runs; a number that is not positive is an `invalid_job`.
///
/// If items come more often than every 500 µs, the source spins for the last 60 µs before each is due, since
/// the kernel's timers are not exact enough; a slower one sleeps. With `{.spin = false}` it always sleeps,
/// and gives what has become due meanwhile in one go: that costs latency, but hardly any processor time.
///
/// ```cpp
/// int n = 0;
/// auto r = tw::run(tw::paced([&]() -> std::optional<int> { return n < 20 ? std::optional(n++) :
/// std::nullopt; }, 10'000.0) |
///                  tw::sink([](int) {}));
/// assert(r.items() == 20 && r.latency().from_due());
/// assert(r.elapsed() >= std::chrono::microseconds(1900));
/// ```
template <class F> auto paced(F f, pace p, options opts = {}) {
  static_assert(model::pulls<F>, "thalweg::paced: the source must be callable as f() -> std::optional<T>");
  return model::make_pipeline(model::paced_stage<F>{{}, std::move(f), std::move(p), std::move(opts)});
}

}  // namespace THALWEG_NAMESPACE
