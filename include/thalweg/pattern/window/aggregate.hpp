/// What a window computes from its items: `aggregate`, and ready-made ones.
#pragma once

#include <thalweg/model/callable.hpp>
#include <thalweg/model/component.hpp>
#include <thalweg/model/stage_traits.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// See `aggregate`.
template <class Lift, class Combine, class Lower> struct aggregate_functions {
  Lift lift;
  Combine combine;
  Lower lower;
};

/// An aggregate that a window keeps up to date as items come, instead of looking at all of them when it ends:
/// `lift(const T&) -> A` makes an aggregate of one item, `combine(A, A) -> A` joins two that follow each
/// other (it must be associative), and `lower(const A&) -> R` gives the result; without it the result is `A`.
/// Items are combined in the order in which they came, or, if windows by time overlap, slice by slice, a
/// slice being the greatest common divisor of size and slide. If items come out of order, results depend on
/// that unless `combine` is commutative.
///
/// ```cpp
/// struct extent { int low, high; };
/// auto join = [](extent a, extent b) { return extent{std::min(a.low, b.low), std::max(a.high, b.high)}; };
/// auto range = tw::aggregate([](int x) { return extent{x, x}; }, join,
///                            [](const extent& e) { return e.high - e.low; });
/// std::vector<int> seen;
/// tw::run(tw::source(std::vector{3, 9, 4, 1}) | tw::window(tw::count(2), range) |
///         tw::sink([&](const tw::windowed<int>& w) { seen.push_back(w.value); }));
/// assert((seen == std::vector{6, 3}));
/// ```
template <class Lift, class Combine, class Lower = std::identity>
aggregate_functions<Lift, Combine, Lower> aggregate(Lift lift, Combine combine, Lower lower = {}) {
  return {std::move(lift), std::move(combine), std::move(lower)};
}

/// The sum of the items, or of what `of(item)` gives (or a member pointer), in that type.
template <class Of = std::identity> auto sum_of(Of of = {}) {
  return aggregate(
      [of = std::move(of)]<class T>(const T& x) requires std::invocable<const Of&, const T&> {
        return std::remove_cvref_t<decltype(std::invoke(of, x))>(std::invoke(of, x));
      },
      std::plus<>{});
}
/// How many items there are.
inline auto count_of() {
  return aggregate([](const auto&) { return std::int64_t{1}; }, std::plus<>{});
}
/// The greatest of the items, or of what `of(item)` gives; among equal ones the first.
template <class Of = std::identity> auto max_of(Of of = {}) {
  return aggregate(
      [of = std::move(of)]<class T>(const T& x) requires std::invocable<const Of&, const T&> {
        return std::remove_cvref_t<decltype(std::invoke(of, x))>(std::invoke(of, x));
      },
      [](auto a, auto b) { return a < b ? b : a; });
}
/// The least of the items, or of what `of(item)` gives; among equal ones the first.
template <class Of = std::identity> auto min_of(Of of = {}) {
  return aggregate(
      [of = std::move(of)]<class T>(const T& x) requires std::invocable<const Of&, const T&> {
        return std::remove_cvref_t<decltype(std::invoke(of, x))>(std::invoke(of, x));
      },
      [](auto a, auto b) { return b < a ? b : a; });
}
/// The mean of the items, or of what `of(item)` gives, as a double.
template <class Of = std::identity> auto mean_of(Of of = {}) {
  struct mean {
    double sum;
    std::int64_t n;
  };
  return aggregate(
      [of = std::move(of)]<class T>(const T& x) requires std::invocable<const Of&, const T&> {
        return mean{static_cast<double>(std::invoke(of, x)), 1};
      },
      [](const mean& a, const mean& b) {
        return mean{a.sum + b.sum, a.n + b.n};
      },
      [](const mean& m) { return m.sum / static_cast<double>(m.n); });
}

namespace model {

template <class A> inline constexpr bool is_aggregate = false;
template <class L, class C, class W> inline constexpr bool is_aggregate<aggregate_functions<L, C, W>> = true;

/// What a window of items of type T keeps, and how it grows and ends: the operations of an aggregate on
/// `kept`, of which two that follow each other can be joined.
template <class Agg, class T> struct aggregator;

template <class L, class C, class W, class T> struct aggregator<aggregate_functions<L, C, W>, T> {
  static constexpr bool incremental = true;
  using kept = std::remove_cvref_t<std::invoke_result_t<L&, const T&>>;
  using result = std::remove_cvref_t<std::invoke_result_t<W&, const kept&>>;
  static constexpr bool joins_copies = copyable<kept>;

  aggregate_functions<L, C, W> of;

  template <class X> kept begin(X&& item) { return std::invoke(of.lift, std::as_const(item)); }
  template <class X> void add(kept& all, X&& item) { join(all, begin(item)); }
  void join(kept& all, const kept& behind) { all = std::invoke(of.combine, std::move(all), behind); }
  void absorb(kept& all, kept&& behind) { join(all, behind); }
  [[nodiscard]] kept joined(const kept& a, const kept& b) {
    if constexpr (std::is_invocable_r_v<kept, C&, const kept&, const kept&>) {
      return std::invoke(of.combine, a, b);
    } else {
      return std::invoke(of.combine, kept(a), b);
    }
  }
  result lower(const kept& all) { return std::invoke(of.lower, all); }
};

// A callable over all items of a window: they are kept.
template <class F, class T> struct aggregator {
  static constexpr bool incremental = false;
  using kept = std::vector<T>;
  using result = std::remove_cvref_t<std::invoke_result_t<F&, std::span<const T>>>;
  static constexpr bool joins_copies = copyable<T>;

  F of;

  template <class X> kept begin(X&& item) {
    kept all;
    all.push_back(std::forward<X>(item));
    return all;
  }
  template <class X> void add(kept& all, X&& item) { all.push_back(std::forward<X>(item)); }
  void join(kept& all, const kept& behind) {
    if constexpr (joins_copies) all.insert(all.end(), behind.begin(), behind.end());
  }
  void absorb(kept& all, kept&& behind) {
    for (T& item : behind) all.push_back(std::move(item));
  }
  result lower(const kept& all) { return std::invoke(of, std::span<const T>(all)); }
};

template <class Agg, class T> inline constexpr bool aggregates = std::invocable<Agg&, std::span<const T>>;
template <class L, class C, class W, class T>
inline constexpr bool aggregates<aggregate_functions<L, C, W>, T> = [] {
  if constexpr (std::invocable<L&, const T&>) {
    using kept = std::remove_cvref_t<std::invoke_result_t<L&, const T&>>;
    if constexpr (std::is_invocable_r_v<kept, C&, kept, const kept&>) return std::invocable<W&, const kept&>;
  }
  return false;
}();

/// Says at compile time what is wrong with an aggregate for items of type T.
template <class Agg, class T> constexpr bool can_aggregate(const Agg*) {
  static_assert(aggregates<Agg, T>,
                "thalweg::window: the function must be callable with all items of a window, as "
                "f(std::span<const T>); one that joins two belongs in tw::aggregate(lift, combine)");
  return aggregates<Agg, T>;
}
template <class Agg, class T, class L, class C, class W>
constexpr bool can_aggregate(const aggregate_functions<L, C, W>*) {
  constexpr bool lifts = std::invocable<L&, const T&>;
  static_assert(lifts,
                "thalweg::aggregate: lift (or what tw::sum_of and the like are given) must be callable with "
                "an item, as lift(const T&)");
  if constexpr (lifts) {
    using kept = std::remove_cvref_t<std::invoke_result_t<L&, const T&>>;
    constexpr bool combines = std::is_invocable_r_v<kept, C&, kept, const kept&>;
    static_assert(
        combines,
        "thalweg::aggregate: combine must join two results of lift into one, as combine(A, A) -> A");
    static_assert(!combines || std::invocable<W&, const kept&>,
                  "thalweg::aggregate: lower must be callable with a result of combine, as lower(const A&)");
  }
  return aggregates<Agg, T>;
}

template <class Agg> void check_aggregate(const Agg& agg, stage_info& info) {
  const auto null = [&](const auto& f) {
    if (is_null_callable(f)) info.problems.emplace_back("its aggregate is null: there is nothing to call");
  };
  if constexpr (is_aggregate<Agg>) {
    null(agg.lift);
    null(agg.combine);
    null(agg.lower);
  } else {
    null(agg);
  }
}

}  // namespace model
}  // namespace THALWEG_NAMESPACE
