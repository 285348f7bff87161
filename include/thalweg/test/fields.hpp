#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

/// The members of a plain struct, one by one, for the texts of failures.
namespace THALWEG_NAMESPACE::testing_detail {

inline constexpr std::size_t most_fields = 8;

// What may stand for any member, and for a base class only.
struct any_field {
  template <class U> operator U() const;  // NOLINT(google-explicit-constructor)
};
template <class T> struct any_base {
  template <class U>
    requires(std::is_base_of_v<U, T> && !std::is_same_v<U, T>)
  operator U() const;  // NOLINT(google-explicit-constructor)
};

template <std::size_t> using one_field = any_field;
template <class T, std::size_t... I> constexpr bool takes_fields(std::index_sequence<I...>) {
  return requires { T{one_field<I>()...}; };
}
template <class T, std::size_t... I, std::size_t... J>
constexpr bool takes_braces(std::index_sequence<I...>, std::index_sequence<J...>) {
  return requires { T{one_field<I>()..., {any_field()}, one_field<J>()...}; };
}

// How many values its initializer list can have; one more than `most_fields` for more than those.
template <class T, std::size_t N = most_fields + 1> constexpr std::size_t values_taken() {
  if constexpr (N == 0 || takes_fields<T>(std::make_index_sequence<N>())) {
    return N;
  } else {
    return values_taken<T, N - 1>();
  }
}

// Whether one of `N` values stands for an element of an array: with braces around it, it takes the place of
// others.
template <class T, std::size_t N, std::size_t I = 0> constexpr bool has_array() {
  if constexpr (I == N) {
    return false;
  } else if constexpr (takes_braces<T>(std::make_index_sequence<I>(), std::make_index_sequence<0>()) &&
                       !takes_braces<T>(std::make_index_sequence<I>(),
                                        std::make_index_sequence<N - I - 1>())) {
    return true;
  } else {
    return has_array<T, N, I + 1>();
  }
}

/// How many members it has; 0 if they cannot be named one by one: it is no aggregate, has a base class or
/// arrays, or more than `most_fields` members.
template <class T> constexpr std::size_t field_count() {
  if constexpr (!std::is_class_v<T> || !std::is_aggregate_v<T>) {
    return 0;
  } else if constexpr (requires { T{any_base<T>()}; }) {
    return 0;
  } else {
    constexpr auto n = values_taken<T>();
    if constexpr (n == 0 || n > most_fields) {
      return 0;
    } else {
      return has_array<T, n>() ? 0 : n;
    }
  }
}

/// Calls `f` with each member, in order.
template <class T, class F> void each_field(const T& x, F&& f) {
  constexpr auto n = field_count<T>();
  const auto all = [&](const auto&... part) { (f(part), ...); };
  if constexpr (n == 1) {
    const auto& [a] = x;
    all(a);
  } else if constexpr (n == 2) {
    const auto& [a, b] = x;
    all(a, b);
  } else if constexpr (n == 3) {
    const auto& [a, b, c] = x;
    all(a, b, c);
  } else if constexpr (n == 4) {
    const auto& [a, b, c, d] = x;
    all(a, b, c, d);
  } else if constexpr (n == 5) {
    const auto& [a, b, c, d, e] = x;
    all(a, b, c, d, e);
  } else if constexpr (n == 6) {
    const auto& [a, b, c, d, e, g] = x;
    all(a, b, c, d, e, g);
  } else if constexpr (n == 7) {
    const auto& [a, b, c, d, e, g, h] = x;
    all(a, b, c, d, e, g, h);
  } else if constexpr (n == 8) {
    const auto& [a, b, c, d, e, g, h, i] = x;
    all(a, b, c, d, e, g, h, i);
  }
}

}  // namespace THALWEG_NAMESPACE::testing_detail
