#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE::model {

// A tuple that costs the compiler next to nothing: no recursion, no conditions on its constructors. Jobs are
// made of many tuples of types that occur once, and std::tuple was a third of what it took to compile one.

template <std::size_t I, class T> struct packed {
  T value;
};

template <class Is, class... T> struct pack_of;
template <std::size_t... I, class... T> struct pack_of<std::index_sequence<I...>, T...> : packed<I, T>... {
  pack_of() = default;
  explicit pack_of(T... values)
    requires(sizeof...(T) > 0)
      : packed<I, T>{std::forward<T>(values)}... {}
};

template <class... T> struct pack : pack_of<std::index_sequence_for<T...>, T...> {
  static constexpr std::size_t size = sizeof...(T);
  using pack_of<std::index_sequence_for<T...>, T...>::pack_of;
};

template <std::size_t I, class T> T& get(packed<I, T>& p) noexcept {
  return p.value;
}
template <std::size_t I, class T> const T& get(const packed<I, T>& p) noexcept {
  return p.value;
}

template <std::size_t I, class T> std::type_identity<T> element_of(const packed<I, T>&);
/// The type of the I-th value of a pack.
template <std::size_t I, class Pack>
using pack_element = typename decltype(model::element_of<I>(std::declval<const Pack&>()))::type;

/// `f(first, second, ...)` with the values of a pack that is given up.
template <class... T, class F> decltype(auto) unpack(pack<T...>&& p, F&& f) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) -> decltype(auto) {
    return f(std::move(model::get<I>(p))...);
  }(std::index_sequence_for<T...>{});
}

template <class... A, class... B> pack<A..., B...> joined(pack<A...>&& a, pack<B...>&& b) {
  return [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>) {
    return pack<A..., B...>(std::move(model::get<I>(a))..., std::move(model::get<J>(b))...);
  }(std::index_sequence_for<A...>{}, std::index_sequence_for<B...>{});
}

}  // namespace THALWEG_NAMESPACE::model
