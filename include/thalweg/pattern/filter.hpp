/// `filter`: keeps the items that satisfy a predicate.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/stage_traits.hpp>

#include <utility>

namespace THALWEG_NAMESPACE {
namespace model {

template <class In, class F> struct filter_op : hooked<F, In> {
  template <class Frame, class T, class Next> THALWEG_INLINE void step(Frame& f, T&& item, Next&& next) {
    if (f.call([&]() -> bool { return call_with(this->fn, f.ctx, std::as_const(item)); }))
      next(std::forward<T>(item));
  }
};

template <class Fn> struct filter_stage : stage_defaults, function_stage<filter_op, Fn> {
  static constexpr auto pattern = "filter";
  static constexpr bool one_to_one = false;
  using wants = first_argument_t<called_t<Fn>>;
  template <class F, class In>
  static constexpr bool tests = std::is_invocable_r_v<bool, F&, const In&> ||
                                std::is_invocable_r_v<bool, F&, const In&, std::stop_token>;
  template <class In>
  static constexpr bool accepts = [] {
    constexpr bool fits = tests<called_t<Fn>, In>;
    static_assert(
        fits || !std::is_invocable_r_v<bool, called_t<Fn>&, In&>,
        "thalweg::filter: the predicate takes its item by reference, but may not change it: take it by "
        "value or by const reference");
    return fits;
  }();
  template <class In> static constexpr bool accepts_shared = tests<const called_t<Fn>, In>;
  template <class In> using output = In;
};

}  // namespace model

/// Keeps the items for which `f(const T&) -> bool` is true; the gaps of the others close at once.
///
/// Order: deterministic. Hooks, state and errors as for `map`.
///
/// ```cpp
/// std::vector<int> seen;
/// auto even = tw::filter([](int x) { return x % 2 == 0; });
/// tw::run(tw::source(std::vector{1, 2, 3, 4}) | even | tw::sink(seen));
/// assert((seen == std::vector{2, 4}));
/// ```
template <class F> auto filter(F f, options opts = {}) {
  return model::make_pipeline(model::filter_stage<F>{{}, {std::move(f), std::move(opts)}});
}

}  // namespace THALWEG_NAMESPACE
