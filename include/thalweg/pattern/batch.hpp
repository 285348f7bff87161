/// `batch` and `unbatch`: micro-batches on purpose.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/ranges.hpp>
#include <thalweg/model/stage_traits.hpp>
#include <thalweg/pipe/moment.hpp>
#include <thalweg/pipe/size_of.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// What closes a batch: whichever comes first.
struct batch_limits {
  std::int64_t items = 0;  ///< this many are in it; 0: no limit
  std::int64_t bytes = 0;  ///< this many are in it (`size_of`), or more with the last item; 0: no limit
  /// Its first item has waited this long, whether or not another one comes; 0: no limit.
  std::chrono::nanoseconds interval{0};
};

/// The limits of batches, which can be changed while the stream runs. Copies are the same: keep one. Any
/// thread.
///
/// ```cpp
/// tw::batching size({.items = 100, .bytes = 1 << 20, .interval = 5s});
/// std::vector<std::vector<int>> seen;
/// auto run = tw::launch(tw::source(std::vector{1, 2, 3}) | tw::batch(size) | tw::sink(seen));
/// size.set({.items = 10});  // from the next item on
/// run.wait();
/// assert(seen == (std::vector<std::vector<int>>{{1, 2, 3}}));
/// ```
class batching {
 public:
  /// \throws error  if a limit is negative, or if there is none
  explicit batching(batch_limits limits);
  /// From the next item on: a batch that has begun keeps the time at which it is due. \throws error  as above
  void set(batch_limits limits);
  [[nodiscard]] batch_limits limits() const noexcept;
  [[nodiscard]] std::string problem() const { return {}; }  ///< `set` refuses what is wrong

 private:
  struct state;
  std::shared_ptr<state> state_;
};

namespace model {

/// Limits that stay as they are.
struct fixed_limits {
  batch_limits now;
  bool counts = false;  // 0 items was meant as a number of items

  [[nodiscard]] batch_limits limits() const noexcept { return now; }
  [[nodiscard]] std::string problem() const;
};

template <class In, class Limits> struct batch_op {
  // More would be a guess: a group may be closed by its interval long before it is full.
  static constexpr std::int64_t most_reserved = 1024;
  static constexpr auto never = std::numeric_limits<std::int64_t>::max();

  Limits closed_by;
  std::vector<In> pending{};
  std::int64_t bytes = 0;
  std::int64_t oldest_due = 0;
  // Read by whichever thread waits for it.
  std::atomic<std::int64_t> when{never};

  template <class Frame, class T, class Next> void step(Frame& f, T&& item, Next&& next) {
    const batch_limits most = closed_by.limits();
    if (pending.empty()) {
      pending.reserve(static_cast<std::size_t>(std::min(most.items, most_reserved)));
      oldest_due = f.ctx.due;
    }
    if (most.interval.count() > 0 && deadline() == never)
      when.store(pipe::later(f.ctx.now(), most.interval.count()), std::memory_order_relaxed);
    if (most.bytes > 0) bytes += static_cast<std::int64_t>(thalweg::size_of(std::as_const(item)));
    pending.push_back(std::forward<T>(item));
    const bool full = most.items > 0 && static_cast<std::int64_t>(pending.size()) >= most.items;
    if (full || (most.bytes > 0 && bytes >= most.bytes)) send(f, next);
  }

  template <class Frame, class Next> void finish(Frame& f, Next& next) {
    if (!pending.empty()) send(f, next);
  }

  [[nodiscard]] std::int64_t deadline() const { return when.load(std::memory_order_relaxed); }

  template <class Frame, class Next> void on_time(Frame& f, Next& next) {
    if (!pending.empty() && f.ctx.now() >= deadline()) send(f, next);
  }

 private:
  template <class Frame, class Next> void send(Frame& f, Next& next) {
    when.store(never, std::memory_order_relaxed);
    bytes = 0;
    const auto due = std::exchange(f.ctx.due, oldest_due);
    next(std::exchange(pending, {}));
    f.ctx.due = due;
  }
};

template <class Limits> struct batch_stage : stage_defaults {
  static constexpr auto pattern = "batch";
  static constexpr bool groups = true;
  static constexpr bool one_to_one = false;
  static constexpr bool shares = false;
  template <class In> static constexpr bool accepts = pipe::item<In>;
  template <class In> static constexpr bool ends = true;
  template <class In> using output = std::vector<In>;

  Limits closed_by;
  kept_options opts;

  // Limits that may change may get an interval.
  [[nodiscard]] bool timed() const {
    return !std::is_same_v<Limits, fixed_limits> || closed_by.limits().interval.count() > 0;
  }
  template <class In> auto make() { return batch_op<In, Limits>{closed_by}; }
  void check(stage_info& info) const {
    if (auto problem = closed_by.problem(); !problem.empty()) info.problems.push_back(std::move(problem));
  }
};

struct unbatch_op {
  template <class Frame, class T, class Next> void step(Frame& f, T&& group, Next&& next) {
    // The range and its items are user code: what they throw is this stage's failure.
    f.call([&] {
      for (auto&& x : group) {
        if constexpr (std::is_lvalue_reference_v<T>) {
          next(std::ranges::range_value_t<std::remove_cvref_t<T>>(x));
        } else {
          next(std::ranges::range_value_t<std::remove_cvref_t<T>>(std::move(x)));
        }
      }
    });
  }
};

/// Stands for the items of `unbatch`, which may be any range.
struct any_range {};

struct unbatch_stage : stage_defaults {
  static constexpr auto pattern = "unbatch";
  using wants = std::type_identity<any_range>;
  static constexpr bool one_to_one = false;
  static constexpr bool shares = false;
  template <class In> static constexpr bool accepts = std::ranges::input_range<In>;
  template <class In> using output = std::ranges::range_value_t<In>;

  kept_options opts;

  template <class In> auto make() { return unbatch_op{}; }
  void check(stage_info&) const {}
};

}  // namespace model

/// Groups items into `std::vector<T>`s: of `n`, or by several limits. With an `interval`, a group is also
/// sent when its first item has waited that long, whether or not another item arrives (under the `sequential`
/// policy: as soon as its one thread gets there). The last group may be short. Thalweg does not need this for
/// speed: what crosses threads is batched anyway.
///
/// Order: deterministic; with an interval, which items share a group depends on time. In a farm, which items
/// share a group depends on the replicas, so the farm must be `.unordered`. With an interval, or limits that
/// can be changed (`batching`), it has its own thread under `pool`.
///
/// Errors: `n` below 1, negative limits, no limit at all, and an ordered farm around it are an `invalid_job`.
///
/// ```cpp
/// std::vector<std::vector<int>> seen;
/// tw::run(tw::source(std::vector{1, 2, 3}) | tw::batch(2) | tw::sink(seen));
/// assert((seen == std::vector<std::vector<int>>{{1, 2}, {3}}));
/// ```
inline auto batch(batch_limits limits, options opts = {}) {
  return model::make_pipeline(model::batch_stage<model::fixed_limits>{{}, {limits, false}, std::move(opts)});
}
inline auto batch(std::int64_t n, std::chrono::nanoseconds interval, options opts = {}) {
  return model::make_pipeline(model::batch_stage<model::fixed_limits>{
      {}, {{.items = n, .interval = interval}, true}, std::move(opts)});
}
inline auto batch(std::int64_t n, options opts = {}) {
  return batch(n, std::chrono::nanoseconds{0}, std::move(opts));
}
inline auto batch(batching limits, options opts = {}) {
  return model::make_pipeline(model::batch_stage<batching>{{}, std::move(limits), std::move(opts)});
}

/// Divides groups (any ranges) into their items.
///
/// Order: deterministic.
///
/// ```cpp
/// std::vector<int> seen;
/// tw::run(tw::source(std::vector<std::vector<int>>{{1, 2}, {}, {3}}) | tw::unbatch() | tw::sink(seen));
/// assert((seen == std::vector{1, 2, 3}));
/// ```
inline auto unbatch(options opts = {}) {
  return model::make_pipeline(model::unbatch_stage{{}, std::move(opts)});
}

}  // namespace THALWEG_NAMESPACE
