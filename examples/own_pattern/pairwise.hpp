// A custom pattern, in one header: `pairwise`. See docs/extending.md.
#pragma once

#include <thalweg/thalweg.hpp>

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace patterns {

namespace tw = thalweg;

/// The operator: what works at run time, one for each run. `step` gets an item and gives what comes of it to
/// `next`, any number of times.
template <class In, class Fn> struct pairwise_operator {
  Fn fn;
  std::optional<In> before = std::nullopt;

  template <class Frame, class T, class Next> void step(Frame& frame, T&& item, Next&& next) {
    // What the user wrote is called through the frame: it names the stage in errors, and takes the time.
    if (before)
      next(frame.call([&] { return std::invoke(fn, std::as_const(*before), std::as_const(item)); }));
    before = std::forward<T>(item);
  }
};

/// The blueprint: what a job is made of. It says what the compiler and the checks before a run must know.
template <class Fn> struct pairwise_stage : tw::model::stage_defaults {
  static constexpr auto pattern = "pairwise";
  static constexpr bool one_to_one = false;  // the first item gives nothing
  static constexpr bool shares = false;      // an operator cannot serve several replicas
  static constexpr bool groups = true;       // results depend on which items follow each other
  using wants = tw::model::first_argument_t<Fn>;
  template <class In>
  static constexpr bool accepts = std::copy_constructible<In> && std::invocable<Fn&, const In&, const In&>;
  template <class In> using output = std::decay_t<std::invoke_result_t<Fn&, const In&, const In&>>;

  Fn fn;
  tw::model::kept_options opts;

  // Called for each replica, if it is in a farm, so it leaves `fn` as it is.
  template <class In> auto make() const { return pairwise_operator<In, Fn>{fn}; }
  void check(tw::model::stage_info& info) const {
    if (tw::model::is_null_callable(fn))
      info.problems.emplace_back("its operator is null: there is nothing to call");
  }
};

/// Gives `f(before, now)` for each two items that follow each other, so one item less than came in.
///
/// Order: deterministic. Serial: in an ordered farm it is an `invalid_job`; in an unordered one each replica
/// pairs the items that it gets.
template <class Fn> auto pairwise(Fn f, tw::options opts = {}) {
  return tw::model::make_pipeline(pairwise_stage<Fn>{{}, std::move(f), std::move(opts)});
}

}  // namespace patterns
