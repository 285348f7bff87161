/// `batch` and `unbatch`: micro-batches on purpose.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/ranges.hpp>
#include <thalweg/model/stage_traits.hpp>
#include <thalweg/observe/batch_limits.hpp>
#include <thalweg/pipe/moment.hpp>
#include <thalweg/pipe/size_of.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

namespace model {
class told_limits;
template <class Limits> struct batch_stage;
}  // namespace model

/// The limits of batches, which can be changed while the stream runs. Copies are the same: keep one. Any
/// thread. `execution::set_batch` changes those of a single run; of the two the last one holds.
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

 private:
  template <class Limits> friend struct model::batch_stage;
  struct state;
  [[nodiscard]] static bool timed() noexcept { return true; }  // it may get an interval
  [[nodiscard]] static std::string problem() { return {}; }    // `set` refuses what is wrong
  [[nodiscard]] std::shared_ptr<model::told_limits> of_a_run() const;
  std::shared_ptr<state> state_;
};

namespace model {

/// What is wrong with limits; empty: nothing.
[[nodiscard]] std::string problem_of(const batch_limits& limits);

/// The limits of one batch stage in one run: those that it was made with, until its `batching` or the run
/// sets others; the last holds. Any thread.
class told_limits {
 public:
  explicit told_limits(const batch_limits& first) : now_(first) {}
  /// Only such as there is nothing wrong with.
  void set(const batch_limits& limits);
  [[nodiscard]] batch_limits now() const;
  /// Whether an operator of this process follows them.
  [[nodiscard]] bool followed() const noexcept { return followed_.load(std::memory_order_relaxed); }

  /// For an operator, which keeps what it has read: whether it has to read again.
  [[nodiscard]] bool changed(std::uint64_t seen) const noexcept {
    return version_.load(std::memory_order_relaxed) != seen;
  }
  batch_limits follow(std::uint64_t& seen);

 private:
  mutable std::mutex lock_;
  batch_limits now_;
  std::atomic<std::uint64_t> version_{1};
  std::atomic<bool> followed_{false};
};

/// Limits that stay as they are, unless the run changes them.
struct fixed_limits {
  batch_limits first;
  bool counts = false;  // 0 items was meant as a number of items

  [[nodiscard]] bool timed() const noexcept { return first.interval.count() > 0; }
  [[nodiscard]] std::string problem() const;
  [[nodiscard]] std::shared_ptr<told_limits> of_a_run() const { return std::make_shared<told_limits>(first); }
};

template <class In> struct batch_op {
  // More would be a guess: a group may be closed by its interval long before it is full.
  static constexpr std::int64_t most_reserved = 1024;
  static constexpr auto never = std::numeric_limits<std::int64_t>::max();
  static constexpr auto no_limit = std::numeric_limits<std::size_t>::max();

  std::shared_ptr<told_limits> told;
  std::uint64_t seen = 0;
  std::size_t most_items = no_limit;
  std::int64_t most_bytes = 0;  // 0: no limit
  std::int64_t interval = 0;    // 0: no limit
  std::vector<In> pending{};
  std::int64_t bytes = 0;
  std::int64_t oldest_due = 0;
  // Read by whichever thread waits for it.
  std::atomic<std::int64_t> when{never};

  explicit batch_op(std::shared_ptr<told_limits> follows) : told(std::move(follows)) { look(); }

  template <class Frame, class T, class Next> void step(Frame& f, T&& item, Next&& next) {
    if (told->changed(seen)) {
      look();
      if (!pending.empty()) wait_at_most(f.ctx);
    }
    if (pending.empty()) {
      if (most_items != no_limit)
        pending.reserve(std::min(most_items, static_cast<std::size_t>(most_reserved)));
      oldest_due = f.ctx.due;
      wait_at_most(f.ctx);
    }
    bool full = false;
    if (most_bytes > 0) {
      bytes += static_cast<std::int64_t>(thalweg::size_of(std::as_const(item)));
      full = bytes >= most_bytes;
    }
    pending.push_back(std::forward<T>(item));
    if (full || pending.size() >= most_items) send(f, next);
  }

  template <class Frame, class Next> void finish(Frame& f, Next& next) {
    if (!pending.empty()) send(f, next);
  }

  [[nodiscard]] std::int64_t deadline() const { return when.load(std::memory_order_relaxed); }

  template <class Frame, class Next> void on_time(Frame& f, Next& next) {
    if (!pending.empty() && f.ctx.now() >= deadline()) send(f, next);
  }

 private:
  void look() {
    const batch_limits most = told->follow(seen);
    most_items = most.items > 0 ? static_cast<std::size_t>(most.items) : no_limit;
    most_bytes = most.bytes;
    interval = most.interval.count();
  }

  // What is pending keeps the time at which it is due, if it has one.
  void wait_at_most(const context& ctx) {
    if (interval > 0 && deadline() == never)
      when.store(pipe::later(ctx.now(), interval), std::memory_order_relaxed);
  }

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
  std::shared_ptr<told_limits> told = {};  // of the run that this copy of the blueprint is for

  [[nodiscard]] bool timed() const { return closed_by.timed(); }
  template <class In> auto make() { return batch_op<In>(told ? told : closed_by.of_a_run()); }
  void check(stage_info& info) {
    if (auto problem = closed_by.problem(); !problem.empty()) info.problems.push_back(std::move(problem));
    info.batches = told = closed_by.of_a_run();
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
/// can be changed (`batching`), it has its own thread under `pool`. `execution::set_batch` changes the limits
/// while the stream runs.
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
