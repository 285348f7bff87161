/// `tee_to`: a look at each item as it passes.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/stage_traits.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {

namespace stages {

template <class In, class F> struct tee_op : model::hooked<F, In> {
  template <class Frame, class T, class Next> THALWEG_INLINE void step(Frame& f, T&& item, Next&& next) {
    f.call([&] { std::invoke(this->fn, std::as_const(item)); });
    next(std::forward<T>(item));
  }
};

template <class Fn> struct tee_stage : model::stage_defaults, model::function_stage<tee_op, Fn> {
  static constexpr auto pattern = "tee_to";
  static constexpr bool one_to_one = true;
  using wants = model::first_argument_t<model::called_t<Fn>>;
  template <class In>
  static constexpr bool accepts = [] {
    constexpr bool fits = std::invocable<model::called_t<Fn>&, const In&>;
    static_assert(fits || !std::invocable<model::called_t<Fn>&, In&>,
                  "thalweg::tee_to: the handler only looks at its item: take it by value or by const "
                  "reference, or use tw::map to change it");
    return fits;
  }();
  template <class In>
  static constexpr bool accepts_shared = std::invocable<const model::called_t<Fn>&, const In&>;
  template <class In> using output = In;
};

}  // namespace stages

/// Shows each item to `handler(const T&)` and passes it on, unchanged and not copied.
///
/// Order: deterministic. Outside of a farm the handler sees one item at a time, in order, and may have state
/// and hooks; in a farm it is shared by the replicas and must be callable as const, or be made by
/// `per_replica`. Errors: what it throws ends the run, unless `.on_error` says otherwise, which then also
/// decides what happens to the item.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// int sum = 0;
/// std::vector<int> seen;
/// tw::run(tw::source(std::vector{1, 2, 3}) | tw::tee_to([&](int x) { sum += x; }) | tw::sink(seen));
/// assert(sum == 6 && seen.size() == 3);
/// ```
template <class F> auto tee_to(F handler, options opts = {}) {
  return model::make_pipeline(stages::tee_stage<F>{{}, {std::move(handler), std::move(opts)}});
}

}  // namespace THALWEG_NAMESPACE
