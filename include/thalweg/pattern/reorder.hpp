/// `reorder`: sorts a stream that is nearly in order.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/stage_traits.hpp>
#include <thalweg/pattern/late.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ratio>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// What `reorder` does with the items that come too late: `.late = f`, with `f(const T&)`.
struct reorder_options {
  late_handler late = {};
};

namespace model {

__extension__ using wide = unsigned __int128;

template <class In, class By> using ordered_by = std::remove_cvref_t<std::invoke_result_t<By&, const In&>>;

template <class D> inline constexpr bool whole_duration = false;
template <class R, class P>
inline constexpr bool whole_duration<std::chrono::duration<R, P>> = std::integral<R>;
template <class T> inline constexpr bool whole_time = whole_duration<T>;
template <class C, class D>
inline constexpr bool whole_time<std::chrono::time_point<C, D>> = whole_duration<D>;

/// Whether `later`, which is not before `earlier`, is ahead of it by `slack` or more. Integral times may be
/// further apart than their type can hold: the least value often means none.
template <class T, class Slack> bool is_ahead(const T& later, const T& earlier, const Slack& slack) {
  if constexpr (whole_time<T> && whole_duration<Slack>) {
    const auto since = [](const T& t) {
      if constexpr (requires { t.time_since_epoch(); }) {
        return static_cast<std::uint64_t>(t.time_since_epoch().count());
      } else {
        return static_cast<std::uint64_t>(t.count());
      }
    };
    using unit = std::ratio_divide<typename T::period, typename Slack::period>;
    const wide apart = since(later) - since(earlier);
    return apart * std::uint64_t{unit::num} >= wide{static_cast<std::uint64_t>(slack.count())} * unit::den;
  } else if constexpr (std::integral<T>) {
    return static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier) >= slack;
  } else {
    return later - earlier >= slack;
  }
}

/// Whether a value has no order relative to any other: NaN, or a time that is NaN.
template <class T> bool has_no_place(const T& at) {
  if constexpr (std::floating_point<T>) {
    return at != at;
  } else if constexpr (requires { at.time_since_epoch(); }) {
    return model::has_no_place(at.time_since_epoch().count());
  } else if constexpr (requires { at.count(); }) {
    return model::has_no_place(at.count());
  } else {
    return false;
  }
}

template <class In, class By, class Slack> struct reorder_op {
  using position = ordered_by<In, By>;

  reorder_op(By order, Slack most, late_handler too_late)
      : by(std::move(order)), slack(std::move(most)), late(std::move(too_late)) {}

  template <class Frame, class T, class Next> void step(Frame& f, T&& item, Next&& next) {
    // Nothing is changed before all user code has returned.
    const bool kept = f.call([&] {
      auto at = position(std::invoke(by, std::as_const(item)));
      if (model::has_no_place(at)) throw std::domain_error("the order of an item is not a number");
      if (sent_ && at < *sent_) {
        late(std::as_const(item));
        return false;
      }
      if constexpr (!std::integral<Slack>) {
        if (!greatest_ || *greatest_ < at) greatest_ = at;
      }
      held_.push_back({std::move(at), arrived_++, f.ctx.due, std::forward<T>(item)});
      std::push_heap(held_.begin(), held_.end(), later{});
      return true;
    });
    if (!kept) {
      ++f.ctx.tallies[f.leaf].skipped;
      return;
    }
    const auto due = f.ctx.due;
    while (has_one()) send(f, next);
    f.ctx.due = due;
  }

  template <class Frame, class Next> void finish(Frame& f, Next& next) {
    while (!held_.empty()) send(f, next);
  }

 private:
  struct held {
    position at;
    std::uint64_t number;
    std::int64_t due;
    In item;
  };
  struct later {
    bool operator()(const held& a, const held& b) const {
      return b.at < a.at || (!(a.at < b.at) && b.number < a.number);
    }
  };

  [[nodiscard]] bool has_one() const {
    if constexpr (std::integral<Slack>) {
      return static_cast<std::uint64_t>(held_.size()) > static_cast<std::uint64_t>(slack);
    } else {
      return !held_.empty() && model::is_ahead(*greatest_, held_.front().at, slack);
    }
  }

  template <class Frame, class Next> void send(Frame& f, Next& next) {
    std::pop_heap(held_.begin(), held_.end(), later{});
    held first = std::move(held_.back());
    held_.pop_back();
    f.ctx.due = first.due;
    sent_ = std::move(first.at);
    next(std::move(first.item));
  }

  By by;
  Slack slack;
  late_handler late;
  std::vector<held> held_;
  std::optional<position> sent_, greatest_;
  std::uint64_t arrived_ = 0;
};

template <class By, class Slack> struct reorder_stage : stage_defaults {
  static constexpr auto pattern = "reorder";
  static constexpr bool one_to_one = false;
  static constexpr bool shares = false;
  using wants = first_argument_t<By>;
  template <class In>
  static constexpr bool accepts = pipe::item<In> && std::movable<In> && std::invocable<By&, const In&>;
  template <class In> static constexpr bool ends = true;
  static constexpr bool sends_bursts = true;
  template <class In> using output = In;

  By by;
  Slack slack;
  late_handler late;
  kept_options opts;

  template <class In> auto make() {
    using position = ordered_by<In, By>;
    static_assert(
        std::copyable<position> && requires(const position& a) {
          { a < a } -> std::convertible_to<bool>;
        }, "thalweg::reorder: what `by` gives must be copyable and have operator<");
    if constexpr (!std::integral<Slack>) {
      static_assert(
          requires(const position& a, const Slack& s) {
            { a - a >= s } -> std::convertible_to<bool>;
          },
          "thalweg::reorder: the slack must be a number of items, or comparable with the difference of two "
          "values of `by`");
    }
    return reorder_op<In, By, Slack>{std::move(by), slack, std::move(late)};
  }
  template <class In> void check(stage_info& info) {
    info.state.scope = state_scope::stream;
    info.order.reorders = true;
    if (is_null_callable(by)) info.problems.emplace_back("its order is null: there is nothing to call");
    if (slack < Slack{}) info.problems.emplace_back("its slack is negative");
    late.template check<In>(info);
  }
};

}  // namespace model

/// Sends items in the order of `by(const T&)` (or a member pointer), equal ones in the order of arrival. To
/// know what comes next it holds items back: this many with an integral `slack`; with another one, such as a
/// duration where `by` gives a time, until an item has come that is ahead by that much. An item that comes
/// when a later one has been sent is too late: it is left out, counted as `skipped` in the report, and given
/// to `.late` if there is one. At the end of the stream all items leave.
///
/// Order: that of `by`. The usual place is after an `.unordered` farm, or a source that is nearly in order;
/// the result is deterministic if `slack` is as large as the disorder, and nothing is late. Serial; in a farm
/// it is an `invalid_job`. Costs O(log n) for n items held back.
///
/// Errors: a negative slack, a null callable, and a handler of other items are an `invalid_job`; what `by` or
/// the handler throws is treated as for `map`, and so is an item whose order is NaN (`std::domain_error`).
///
/// K-slack: Babu, Srivastava, Widom, "Exploiting k-Constraints to Reduce Memory Overhead in Continuous
/// Queries over Data Streams", TODS 29(3), 2004.
///
/// ```cpp
/// std::vector<int> seen, late;
/// tw::run(tw::source(std::vector{2, 1, 3, 6, 5, 4, 0}) |
///         tw::reorder(std::identity{}, 2, {.late = [&](int x) { late.push_back(x); }}) | tw::sink(seen));
/// assert((seen == std::vector{1, 2, 3, 4, 5, 6}) && late == std::vector{0});
/// ```
template <class By, class Slack> auto reorder(By by, Slack slack, reorder_options what, options opts = {}) {
  return model::make_pipeline(model::reorder_stage<By, Slack>{
      {}, std::move(by), std::move(slack), std::move(what.late), std::move(opts)});
}
template <class By, class Slack> auto reorder(By by, Slack slack, options opts = {}) {
  return reorder(std::move(by), std::move(slack), reorder_options{}, std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
