/// `top_k`: the largest items of a window.
#pragma once

#include <thalweg/model/callable.hpp>
#include <thalweg/model/component.hpp>
#include <thalweg/model/stage_traits.hpp>
#include <thalweg/pattern/window/aggregate.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// See `top_k`.
template <class By> struct largest_items {
  std::int64_t k;
  By by;
};

/// An aggregate: the `k` items with the largest `by(item)` (or member pointer; without it the items
/// themselves), as a `std::vector<T>`. A window with fewer items gives all of them. What `by` gives needs
/// `operator<`; NaN is smaller than all numbers.
///
/// Order: the largest first; among equal ones the one that came first, also where windows overlap and where
/// items come out of order. Like the other aggregates it is kept up to date as items come, and overlapping
/// windows share what they have in common.
///
/// A window, and each slice of it, holds at most `k` items. An item that is not among the largest costs two
/// calls of `by`, any other O(log k) calls and O(k) moves; two slices are joined with O(k) copies.
///
/// Errors: a `k` below 1 and a null `by` are an `invalid_job`.
///
/// ```cpp
/// struct bid { int auction; double price; };
/// std::vector<bid> bids{{1, 2.0}, {2, 9.0}, {3, 4.0}, {4, 9.0}};
/// std::vector<int> best;
/// tw::run(tw::source(bids) | tw::window(tw::count(4), tw::top_k(3, &bid::price)) |
///         tw::sink([&](const tw::windowed<std::vector<bid>>& w) {
///           for (const bid& b : w.value) best.push_back(b.auction);
///         }));
/// assert((best == std::vector{2, 4, 3}));
/// ```
template <class By = std::identity> largest_items<By> top_k(std::int64_t k, By by = {}) {
  return {k, std::move(by)};
}

namespace model {

template <class By, class T> struct aggregator<largest_items<By>, T> {
  // Its number among all items says which of two equal ones came first, whatever they are joined in.
  struct entry {
    T item;
    std::uint64_t number;
  };

  static constexpr bool incremental = true;
  static constexpr bool joins_copies = true;
  using kept = std::vector<entry>;  // the largest first
  using result = std::vector<T>;

  largest_items<By> of;
  std::uint64_t seen = 0;

  template <class X> kept begin(X&& item) {
    kept all;
    add(all, std::forward<X>(item));
    return all;
  }
  template <class X> void add(kept& all, X&& item) {
    const auto number = seen++;
    auto place = all.size();
    if (place > 0 && larger(item, all.back().item)) {
      const auto behind = std::upper_bound(all.begin(), all.end(), item, [&](const T& added, const entry& e) {
        return larger(added, e.item);
      });
      place = static_cast<std::size_t>(behind - all.begin());
    }
    if (place == most()) return;
    if (all.size() == most()) all.pop_back();
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), entry{T(std::forward<X>(item)), number});
  }
  void join(kept& all, const kept& other) {
    if (all.size() == most() && !before(other.front(), all.back())) return;
    all = merged(all, other);
  }
  void absorb(kept& all, kept&& other) { all = merged(all, other); }
  [[nodiscard]] kept joined(const kept& a, const kept& b) { return merged(a, b); }
  result lower(const kept& all) {
    result items;
    items.reserve(all.size());
    for (const entry& e : all) items.push_back(e.item);
    return items;
  }

 private:
  [[nodiscard]] std::size_t most() const { return static_cast<std::size_t>(of.k); }

  bool larger(const T& a, const T& b) {
    const auto& of_a = std::invoke(of.by, a);
    const auto& of_b = std::invoke(of.by, b);
    if constexpr (std::floating_point<std::remove_cvref_t<decltype(of_a)>>) {
      if (of_b != of_b) return of_a == of_a;
    }
    return of_b < of_a;
  }
  bool before(const entry& a, const entry& b) {
    if (larger(a.item, b.item)) return true;
    return !larger(b.item, a.item) && a.number < b.number;
  }
  // Moves items out of what is not const.
  template <class A, class B> kept merged(A& a, B& b) {
    kept all;
    all.reserve(std::min(most(), a.size() + b.size()));
    auto x = a.begin();
    auto y = b.begin();
    while (all.size() < most() && (x != a.end() || y != b.end())) {
      if (y == b.end() || (x != a.end() && before(*x, *y))) {
        all.push_back(std::move(*x++));
      } else {
        all.push_back(std::move(*y++));
      }
    }
    return all;
  }
};

template <class By, class T>
inline constexpr bool aggregates<largest_items<By>, T> = [] {
  if constexpr (std::invocable<By&, const T&>) {
    using score = std::remove_cvref_t<std::invoke_result_t<By&, const T&>>;
    return copyable<T> && std::movable<T> && requires(const score& a, const score& b) {
      { a < b } -> std::convertible_to<bool>;
    };
  }
  return false;
}();

template <class Agg, class T, class By> constexpr bool can_aggregate(const largest_items<By>*) {
  static_assert(
      aggregates<Agg, T>,
      "thalweg::top_k: by must be callable with an item, as by(const T&), and what it gives (without "
      "it the item) needs operator<; items must be copyable, since results are copies");
  return aggregates<Agg, T>;
}

template <class By> void check_aggregate(const largest_items<By>& agg, stage_info& info) {
  if (agg.k < 1) info.problems.emplace_back("the k of its tw::top_k must be at least 1");
  if (is_null_callable(agg.by))
    info.problems.emplace_back("the function of its tw::top_k is null: there is nothing to call");
}

}  // namespace model
}  // namespace THALWEG_NAMESPACE
