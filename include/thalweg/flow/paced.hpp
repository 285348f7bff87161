/// `paced`: a source that follows a schedule.
#pragma once

#include <thalweg/flow/wait.hpp>
#include <thalweg/pattern/source.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace thalweg {

namespace flow {

/// Waits until a moment of the steady clock, in nanoseconds: sleeps, and spins for the last microseconds
/// where the schedule is dense. Returns false as soon as `ctx` says that the source shall not be called; on
/// virtual time, if that moment has not come.
bool wait_until(std::int64_t due_ns, bool spin, model::context& ctx);

}  // namespace flow

namespace model {

template <class In, class F> struct paced_op : pull_op<In, F> {
  double interval_ns = 0;
  std::optional<std::int64_t>
      began{};  // when the first item was due, less what the run had been paused by then
  std::int64_t count = 0;
  bool held = false;

  paced_op(F f, double rate) : pull_op<In, F>{{std::move(f)}}, interval_ns(1e9 / rate) {}

  template <class Frame, class Next> bool step(Frame& f, Next&& next) {
    if (!began) began = f.ctx.now() - paused(f.ctx);
    // A pause moves the schedule, also one that began and ended while we waited.
    std::int64_t due = 0;
    do {
      due = due_now(f.ctx);
      held = false;
      if (!flow::wait_until(due, interval_ns < flow::dense_ns, f.ctx)) {
        held = true;
        return false;
      }
    } while (due != due_now(f.ctx));
    f.ctx.due = due;
    const bool more = pull_op<In, F>::step(f, std::forward<Next>(next));
    ++count;  // a call that fails and is made again is for the same place in the schedule
    return more;
  }

  /// Whether `step` gave nothing because it was told to wait, not because that was all.
  [[nodiscard]] bool held_up() const noexcept { return held; }

 private:
  [[nodiscard]] std::int64_t due_now(const context& ctx) const {
    return *began + paused(ctx) + static_cast<std::int64_t>(interval_ns * static_cast<double>(count));
  }
  static std::int64_t paused(const context& ctx) { return ctx.paused_ns->load(std::memory_order_relaxed); }
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
  double rate;
  kept_options opts;

  template <class In> auto make() { return paced_op<In, Fn>(std::move(fn), rate); }
  void check(stage_info& info) {
    check_function(fn, info);
    if (!(rate > 0)) info.problems.emplace_back("its rate must be positive");
  }
};

}  // namespace model

/// A source with an open-loop schedule: the k-th item (k = 0, 1, ...) is due k / `rate` seconds after the
/// first. `f() -> std::optional<T>` is called when the item is due; if the stream falls behind, items come as
/// fast as it takes them until it has caught up. Latency in the report is counted from each item's due time,
/// so falling behind is not hidden.
///
/// Order and threads: as `source`. `rate` is in items per second; one that is not positive is an
/// `invalid_job`.
///
/// ```cpp
/// int n = 0;
/// auto r = tw::run(tw::paced([&]() -> std::optional<int> { return n < 20 ? std::optional(n++) :
/// std::nullopt; }, 10'000.0) |
///                  tw::sink([](int) {}));
/// assert(r.items() == 20 && r.latency().from_due());
/// assert(r.elapsed() >= std::chrono::microseconds(1900));
/// ```
template <class F> auto paced(F f, double rate, options opts = {}) {
  static_assert(model::pulls<F>, "thalweg::paced: the source must be callable as f() -> std::optional<T>");
  return model::make_pipeline(model::paced_stage<F>{{}, std::move(f), rate, std::move(opts)});
}

}  // namespace thalweg
