/// `batch` and `unbatch`: micro-batches on purpose.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/ranges.hpp>
#include <thalweg/model/stage_traits.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace thalweg {
namespace model {

template <class In> struct batch_op {
  // More would be a guess: a group may be closed by its interval long before it is full.
  static constexpr std::size_t most_reserved = 1024;

  std::size_t n;
  std::int64_t interval;
  std::vector<In> pending{};
  std::int64_t oldest_due = 0;
  // Read by whichever thread waits for it.
  std::atomic<std::int64_t> when{std::numeric_limits<std::int64_t>::max()};

  template <class Frame, class T, class Next> void step(Frame& f, T&& item, Next&& next) {
    if (pending.empty()) {
      pending.reserve(std::min(n, most_reserved));
      oldest_due = f.ctx.due;
      if (interval > 0) when.store(f.ctx.now() + interval, std::memory_order_relaxed);
    }
    pending.push_back(std::forward<T>(item));
    if (pending.size() >= n) send(f, next);
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
    when.store(std::numeric_limits<std::int64_t>::max(), std::memory_order_relaxed);
    const auto due = std::exchange(f.ctx.due, oldest_due);
    next(std::exchange(pending, {}));
    f.ctx.due = due;
  }
};

struct batch_stage : stage_defaults {
  static constexpr auto pattern = "batch";
  static constexpr bool groups = true;
  static constexpr bool one_to_one = false;
  static constexpr bool shares = false;
  template <class In> static constexpr bool accepts = pipe::item<In>;
  template <class In> static constexpr bool ends = true;
  template <class In> using output = std::vector<In>;

  std::int64_t n;
  std::chrono::nanoseconds interval;
  kept_options opts;

  [[nodiscard]] bool timed() const { return interval.count() > 0; }
  template <class In> auto make() { return batch_op<In>{static_cast<std::size_t>(n), interval.count()}; }
  void check(stage_info& info) const {
    if (n <= 0) info.problems.push_back("a batch must hold at least 1 item, not " + std::to_string(n));
    if (interval.count() < 0) info.problems.emplace_back("its interval is negative");
  }
};

struct unbatch_op {
  template <class Frame, class T, class Next> void step(Frame& f, T&& group, Next&& next) {
    // The range and its items are the user's: what they throw is this stage's failure.
    f.attribute(f.leaf, [&] {
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

/// Groups items into `std::vector<T>`s of `n`. With an `interval`, a group is also sent when its first item
/// has waited so long, whether or not another item arrives (under the `sequential` policy: as soon as its one
/// thread gets there). The last group may be short. Thalweg does not need this for speed: what crosses
/// threads is batched anyway.
///
/// Order: deterministic; with an interval, which items share a group depends on time. In a farm, which items
/// share a group depends on the replicas, so the farm must be `.unordered`. With an interval it has a thread
/// of its own under `pool`.
///
/// Errors: `n` below 1, a negative interval, and an ordered farm around it are an `invalid_job`.
///
/// ```cpp
/// std::vector<std::vector<int>> seen;
/// tw::run(tw::source(std::vector{1, 2, 3}) | tw::batch(2) | tw::sink(seen));
/// assert((seen == std::vector<std::vector<int>>{{1, 2}, {3}}));
/// ```
inline auto batch(std::int64_t n, std::chrono::nanoseconds interval, options opts = {}) {
  return model::make_pipeline(model::batch_stage{{}, n, interval, std::move(opts)});
}
inline auto batch(std::int64_t n, options opts = {}) {
  return batch(n, std::chrono::nanoseconds{0}, std::move(opts));
}

/// Takes groups (any ranges) apart into their items.
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

}  // namespace thalweg
