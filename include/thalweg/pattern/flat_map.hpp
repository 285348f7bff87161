/// `flat_map`: one item in, any number of items out.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/stage_traits.hpp>

#include <cstddef>
#include <utility>

namespace THALWEG_NAMESPACE {
namespace model {

// The item type of an emitter parameter; void if it is not one.
template <class E> struct emitted : std::type_identity<void> {};
template <class T> struct emitted<emitter<T>&> : std::type_identity<T> {};

template <class U> struct flat_map_of {
  // Sent items are passed on a run at a time: one indirect call for many.
  static constexpr std::size_t at_once = 64;

  template <class In, class F> struct op : hooked<F, U> {
    template <class Frame, class T, class Next> void step(Frame& f, T&& item, Next&& next) {
      f.template emit<false>(
          sent, at_once, [&](emitter<U>& out) { call_with(this->fn, f.ctx, std::forward<T>(item), out); },
          next);
    }
    pipe::chunk<U> sent{};
  };

  template <class Fn> struct stage : stage_defaults, function_stage<op, Fn> {
    static constexpr auto pattern = "flat_map";
    static constexpr bool one_to_one = false;
    using wants = first_argument_t<called_t<Fn>>;
    template <class In> static constexpr bool accepts = takes<called_t<Fn>, In, emitter<U>&>;
    template <class In> static constexpr bool accepts_shared = takes<const called_t<Fn>, In, emitter<U>&>;
    template <class In> using output = U;
  };
};

}  // namespace model

/// Sends 0..n items for each item: `f(T, tw::emitter<U>& out)`. For a generic lambda, whose emitter type
/// cannot be found, write `flat_map<U>(f)`.
///
/// Order: deterministic; an item's outputs take its place, in the order they were sent. Any number of outputs
/// is handed on in bounded runs. Threads, state and errors as for `map`.
///
/// ```cpp
/// std::vector<char> seen;
/// tw::run(tw::source(std::vector<std::string>{"ab", "", "c"}) |
///         tw::flat_map([](std::string s, tw::emitter<char>& out) { for (char c : s) out(c); }) |
///         tw::sink(seen));
/// assert((seen == std::vector{'a', 'b', 'c'}));
/// ```
template <class U = void, class F> auto flat_map(F f, options opts = {}) {
  using found = typename model::emitted<typename model::second_argument_t<model::called_t<F>>::type>::type;
  using out = std::conditional_t<std::is_void_v<U>, found, U>;
  static_assert(!std::is_void_v<out>,
                "thalweg::flat_map: the operator must be callable as f(item, tw::emitter<U>&); "
                "for a generic lambda name the output type: flat_map<U>(f)");
  if constexpr (std::is_void_v<out>) {
    return model::make_pipeline(model::unusable_stage<false>{});
  } else {
    return model::make_pipeline(
        typename model::flat_map_of<out>::template stage<F>{{}, {std::move(f), std::move(opts)}});
  }
}

}  // namespace THALWEG_NAMESPACE
