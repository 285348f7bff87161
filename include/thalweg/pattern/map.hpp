/// `map`: one item in, one item out.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/stage_traits.hpp>

#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {
namespace model {

template <class In, class F> struct map_op : hooked<F, call_result<F, In>> {
  template <class Frame, class T, class Next> THALWEG_INLINE void step(Frame& f, T&& item, Next&& next) {
    next(f.call([&]() -> decltype(auto) { return call_with(this->fn, f.ctx, std::forward<T>(item)); }));
  }
};

// What a map gives for an item; void is a mistake.
template <class U> constexpr bool maps_to_something() {
  static_assert(
      !std::is_void_v<U>,
      "thalweg::map: the operator returns nothing: use tw::sink (or tw::farm(tw::sink(f))) to end a "
      "stream, or return the item to pass it on");
  return !std::is_void_v<U>;
}
template <class U> using mapped = std::conditional_t<maps_to_something<U>(), U, misfit>;

template <class Fn> struct map_stage : stage_defaults, function_stage<map_op, Fn> {
  static constexpr auto pattern = "map";
  static constexpr bool one_to_one = true;
  using wants = first_argument_t<called_t<Fn>>;
  template <class In> static constexpr bool accepts = takes<called_t<Fn>, In>;
  template <class In> static constexpr bool accepts_shared = takes<const called_t<Fn>, In>;
  template <class In> using output = mapped<call_result<called_t<Fn>, In>>;
};

}  // namespace model

/// Transforms each item: `f(T) -> U`. `f` may take the item by value, reference (to change it in place) or
/// const reference, and a `std::stop_token` after it.
///
/// Order: deterministic. Outside a farm `f` is called for one item at a time, in order, and may have state.
/// Its object may have hooks `on_start()`, `on_end()` or `on_end(tw::emitter<U>&)`, and `validate()`.
///
/// Errors: a null callable, or a `validate()` that throws, is an `invalid_job`; what `f` throws ends the run,
/// unless `.on_error` says otherwise.
///
/// ```cpp
/// std::vector<std::string> seen;
/// auto square = tw::map([](int x) { return std::to_string(x * x); });
/// tw::run(tw::source(std::vector{1, 2, 3}) | square | tw::sink(seen));
/// assert((seen == std::vector<std::string>{"1", "4", "9"}));
/// ```
template <class F> auto map(F f, options opts = {}) {
  return model::make_pipeline(model::map_stage<F>{{}, {std::move(f), std::move(opts)}});
}

}  // namespace THALWEG_NAMESPACE
