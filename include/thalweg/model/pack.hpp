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
  static constexpr std::size_t size = sizeof...(T);
};

// Made by braces for the pack and for each of its values: a constructor would be one more function for each
// type.
template <class... T> using pack = pack_of<std::index_sequence_for<T...>, T...>;

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
template <std::size_t... I, class... T, class F>
decltype(auto) unpack(pack_of<std::index_sequence<I...>, T...>&& p, F&& f) {
  return f(std::move(static_cast<packed<I, T>&>(p).value)...);
}

template <std::size_t... I, class... A, std::size_t... J, class... B>
pack<A..., B...> joined(pack_of<std::index_sequence<I...>, A...>&& a,
                        pack_of<std::index_sequence<J...>, B...>&& b) {
  return {{std::move(static_cast<packed<I, A>&>(a).value)}...,
          {std::move(static_cast<packed<J, B>&>(b).value)}...};
}

}  // namespace THALWEG_NAMESPACE::model
