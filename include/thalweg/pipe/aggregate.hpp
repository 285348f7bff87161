/// What an aggregate is made of, found out by which lists of initial values it takes.
#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE::pipe {

/// How many of the leaves of an aggregate are looked at: its numbers, pointers and classes that are none
/// themselves, also those in aggregates and arrays inside it.
inline constexpr std::size_t most_leaves = 64;
/// How many members may have an aggregate whose members are looked at one by one.
inline constexpr std::size_t most_members = 32;

namespace aggregate_detail {

template <std::size_t, class Value> using value_at = Value;

/// Whether a list of initial values may be `Value` n times and then `Last`.
template <class T, class Value, class Last, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{value_at<I, Value>()..., Last()}; };
}

/// Stands for any member. A list that has one for each element of an array goes on inside of it.
struct any_member {
  template <class U> operator U() const;  // NOLINT(google-explicit-constructor)
};
struct any_union {
  template <class U>
    requires std::is_union_v<U>
  operator U() const;  // NOLINT(google-explicit-constructor)
};
template <class T> struct base_of {
  template <class U>
    requires(std::is_base_of_v<U, T> && !std::is_same_v<U, T>)
  operator U() const;  // NOLINT(google-explicit-constructor)
};

template <class T, std::size_t... I> constexpr bool takes_any(std::index_sequence<I...>) {
  return requires { T{value_at<I, any_member>()...}; };
}
template <class T, std::size_t... I> constexpr bool takes_more(std::index_sequence<I...>) {
  return requires { T{value_at<I, any_member>()..., {}}; };
}
// Whether `{}` stands for a member behind `I` values, with `J` values behind it.
template <class T, std::size_t... I, std::size_t... J>
constexpr bool takes_one(std::index_sequence<I...>, std::index_sequence<J...>) {
  return requires { T{value_at<I, any_member>()..., {}, value_at<J, any_member>()...}; };
}
// The same for a list of `K` values.
template <class T, std::size_t... I, std::size_t... K, std::size_t... J>
constexpr bool takes_list(std::index_sequence<I...>, std::index_sequence<K...>, std::index_sequence<J...>) {
  return requires {
    T{value_at<I, any_member>()..., {value_at<K, any_member>()...}, value_at<J, any_member>()...};
  };
}

// How many initial values there may be; 0: that cannot be found out.
template <class T, std::size_t N = 1> constexpr std::size_t values() {
  if constexpr (N > most_leaves) {
    return 0;
  } else if constexpr (!takes_any<T>(std::make_index_sequence<N>())) {
    return values<T, N + 1>();  // what has no default value has to be there
  } else if constexpr (N < most_leaves && takes_any<T>(std::make_index_sequence<N + 1>())) {
    return values<T, N + 1>();
  } else {
    return takes_more<T>(std::make_index_sequence<N>()) ? 0 : N;
  }
}

// How many of `N` values belong to the member that begins behind `I` of them: to an array as many as it has
// elements.
template <class T, std::size_t N, std::size_t I, std::size_t K> constexpr std::size_t values_of_array() {
  if constexpr (K < 2) {
    return 1;
  } else {
    constexpr auto before = std::make_index_sequence<I>();
    constexpr auto inside = std::make_index_sequence<K>();
    if constexpr (takes_list<T>(before, inside, std::make_index_sequence<N - I - K>()) &&
                  !takes_list<T>(before, inside, std::make_index_sequence<N - I - K + 1>())) {
      return K;
    } else {
      return values_of_array<T, N, I, K - 1>();
    }
  }
}
template <class T, std::size_t N, std::size_t I> constexpr std::size_t values_of_member() {
  if constexpr (takes_one<T>(std::make_index_sequence<I>(), std::make_index_sequence<N - I - 1>())) {
    return 1;
  } else {
    return values_of_array<T, N, I, N - I>();
  }
}

template <class T, std::size_t N, std::size_t I = 0, std::size_t Members = 0>
constexpr std::size_t members() {
  if constexpr (I == N) {
    return Members;
  } else if constexpr (takes<T, any_member, any_union>(std::make_index_sequence<I>())) {
    return 0;  // it may be anonymous; and nobody knows what is in it
  } else {
    return members<T, N, I + values_of_member<T, N, I>(), Members + 1>();
  }
}

}  // namespace aggregate_detail

/// How many members the aggregate T has; 0 if it is none whose members can be named: it has a base, a union,
/// references, or too many of them.
template <class T>
inline constexpr std::size_t member_count = [] {
  if constexpr (!std::is_class_v<T> || !std::is_aggregate_v<T> || std::is_empty_v<T>) {
    return std::size_t{0};
  } else if constexpr (requires { T{aggregate_detail::base_of<T>()}; }) {
    return std::size_t{0};
  } else {
    constexpr auto values = aggregate_detail::values<T>();
    constexpr auto members = aggregate_detail::members<T, values>();
    return members <= most_members ? members : 0;
  }
}();

/// Calls `f` with the members of an aggregate that has such.
template <class T, class F> constexpr decltype(auto) with_members(const T& x, F&& f) {
  constexpr auto n = member_count<T>;
  static_assert(n > 0);
  if constexpr (n == 1) {
    const auto& [m0] = x;
    return f(m0);
  } else if constexpr (n == 2) {
    const auto& [m0, m1] = x;
    return f(m0, m1);
  } else if constexpr (n == 3) {
    const auto& [m0, m1, m2] = x;
    return f(m0, m1, m2);
  } else if constexpr (n == 4) {
    const auto& [m0, m1, m2, m3] = x;
    return f(m0, m1, m2, m3);
  } else if constexpr (n == 5) {
    const auto& [m0, m1, m2, m3, m4] = x;
    return f(m0, m1, m2, m3, m4);
  } else if constexpr (n == 6) {
    const auto& [m0, m1, m2, m3, m4, m5] = x;
    return f(m0, m1, m2, m3, m4, m5);
  } else if constexpr (n == 7) {
    const auto& [m0, m1, m2, m3, m4, m5, m6] = x;
    return f(m0, m1, m2, m3, m4, m5, m6);
  } else if constexpr (n == 8) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7);
  } else if constexpr (n == 9) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8);
  } else if constexpr (n == 10) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9);
  } else if constexpr (n == 11) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10);
  } else if constexpr (n == 12) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11);
  } else if constexpr (n == 13) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12);
  } else if constexpr (n == 14) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13);
  } else if constexpr (n == 15) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14);
  } else if constexpr (n == 16) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15);
  } else if constexpr (n == 17) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16);
  } else if constexpr (n == 18) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17);
  } else if constexpr (n == 19) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18);
  } else if constexpr (n == 20) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19] =
        x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19);
  } else if constexpr (n == 21) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                 m20] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20);
  } else if constexpr (n == 22) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                 m20, m21] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20,
             m21);
  } else if constexpr (n == 23) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                 m20, m21, m22] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20,
             m21, m22);
  } else if constexpr (n == 24) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                 m20, m21, m22, m23] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20,
             m21, m22, m23);
  } else if constexpr (n == 25) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                 m20, m21, m22, m23, m24] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20,
             m21, m22, m23, m24);
  } else if constexpr (n == 26) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                 m20, m21, m22, m23, m24, m25] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20,
             m21, m22, m23, m24, m25);
  } else if constexpr (n == 27) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                 m20, m21, m22, m23, m24, m25, m26] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20,
             m21, m22, m23, m24, m25, m26);
  } else if constexpr (n == 28) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                 m20, m21, m22, m23, m24, m25, m26, m27] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20,
             m21, m22, m23, m24, m25, m26, m27);
  } else if constexpr (n == 29) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                 m20, m21, m22, m23, m24, m25, m26, m27, m28] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20,
             m21, m22, m23, m24, m25, m26, m27, m28);
  } else if constexpr (n == 30) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                 m20, m21, m22, m23, m24, m25, m26, m27, m28, m29] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20,
             m21, m22, m23, m24, m25, m26, m27, m28, m29);
  } else if constexpr (n == 31) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                 m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20,
             m21, m22, m23, m24, m25, m26, m27, m28, m29, m30);
  } else if constexpr (n == 32) {
    const auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
                 m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31] = x;
    return f(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20,
             m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31);
  }
}

}  // namespace THALWEG_NAMESPACE::pipe
