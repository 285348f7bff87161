/// `sink`: where a stream ends.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/stage_traits.hpp>

#include <iterator>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {
namespace model {

template <class In, class F> struct sink_op : hooked<F, nothing> {
  template <class Frame, class T> THALWEG_INLINE void step(Frame& f, T&& item) {
    f.call([&] { call_with(this->fn, f.ctx, std::forward<T>(item)); });
  }
};

template <class C> struct append_to {
  C* container;
  template <class T>
    requires requires(C& c, T&& x) { c.push_back(std::forward<T>(x)); }
  void operator()(T&& item) {
    container->push_back(std::forward<T>(item));
  }
  template <class T>
    requires(!requires(C& c, T&& x) { c.push_back(std::forward<T>(x)); }) &&
            requires(C& c, T&& x) { c.insert(std::forward<T>(x)); }
  void operator()(T&& item) {
    container->insert(std::forward<T>(item));
  }
};

// The item type that a sink names: that of its callable, or what its container holds.
template <class Fn> struct sink_item : first_argument_t<Fn> {};
template <class C> struct sink_item<append_to<C>> : std::type_identity<typename C::value_type> {};

template <class Fn> struct sink_stage : stage_defaults, function_stage<sink_op, Fn> {
  static constexpr bool is_sink = true;
  static constexpr auto pattern = "sink";
  static constexpr bool one_to_one = true;
  using wants = sink_item<called_t<Fn>>;
  template <class In> static constexpr bool accepts = takes<called_t<Fn>, In>;
  template <class In> static constexpr bool accepts_shared = takes<const called_t<Fn>, In>;
  template <class In> using output = nothing;
};

template <class Iterator> struct write_to {
  Iterator where;
  template <class T>
    requires requires(Iterator& it, T&& x) { *it = std::forward<T>(x); }
  void operator()(T&& item) {
    *where = std::forward<T>(item);
    ++where;
  }
};

template <class C>
concept growing_container = requires(C& c, typename C::value_type x) { c.push_back(x); } ||
                            requires(C& c, typename C::value_type x) { c.insert(x); } ||
                            requires(C& c, typename C::value_type&& x) { c.push_back(std::move(x)); };

}  // namespace model

/// Takes the items out of the stream: `sink(f)` with `f(T)`, `sink(container)` appends to a container the
/// caller keeps (it must outlive the run), `sink(iterator)` writes through an output iterator. Errors as for
/// `map`.
///
/// Order: deterministic. A sink is serial: it is called for one item at a time, in order; `farm(sink(f))`
/// asks for a replicated one.
///
/// ```cpp
/// std::vector<int> a, b;
/// tw::run(tw::source(std::vector{1, 2}) | tw::sink(a));
/// tw::run(tw::source(std::vector{1, 2}) | tw::sink(std::back_inserter(b)));
/// int sum = 0;
/// tw::run(tw::source(std::vector{1, 2}) | tw::sink([&](int x) { sum += x; }));
/// assert(a == b && sum == 3);
/// ```
template <class F> auto sink(F&& f, options opts = {}) {
  using bare = model::kept_t<F>;
  if constexpr (model::growing_container<bare>) {
    static_assert(
        std::is_lvalue_reference_v<F> && !std::is_const_v<std::remove_reference_t<F>>,
        "thalweg::sink: a container must be given by (non-const) reference, since the caller keeps it");
    return model::make_pipeline(model::sink_stage<model::append_to<bare>>{{}, {{&f}, std::move(opts)}});
  } else if constexpr (std::weakly_incrementable<bare> && !std::is_arithmetic_v<bare>) {
    return model::make_pipeline(
        model::sink_stage<model::write_to<bare>>{{}, {{std::forward<F>(f)}, std::move(opts)}});
  } else {
    return model::make_pipeline(model::sink_stage<bare>{{}, {std::forward<F>(f), std::move(opts)}});
  }
}

}  // namespace THALWEG_NAMESPACE
