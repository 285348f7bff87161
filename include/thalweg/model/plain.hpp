/// `plain_bytes`: what may travel as it is in memory.
#pragma once

#include <thalweg/pipe/aggregate.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE::model {

namespace plain_detail {

template <class T>
inline constexpr bool points =
    std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_null_pointer_v<T> ||
    (
        requires(const T& x) { x.data(); } && !requires { std::tuple_size<T>::value; });

// What may stand in a list of initial values for a leaf, and for one that points somewhere. As they become no
// aggregates, the list goes on inside of these: braces may be left out there.
struct leaf {
  template <class T>
    requires(!std::is_aggregate_v<T> || std::is_empty_v<T>)
  operator T() const;  // NOLINT(google-explicit-constructor)
};
struct pointing_leaf {
  template <class T>
    requires(!std::is_aggregate_v<T> && points<T>)
  operator T() const;  // NOLINT(google-explicit-constructor)
};

// Whether leaf `I`, or one behind it, points somewhere.
template <class T, std::size_t I = 0> constexpr bool points_inside() {
  constexpr auto before = std::make_index_sequence<I>();
  if constexpr (pipe::aggregate_detail::takes<T, leaf, pointing_leaf>(before)) {
    return true;
  } else if constexpr (I + 1 < pipe::most_leaves && pipe::aggregate_detail::takes<T, leaf, leaf>(before)) {
    return points_inside<T, I + 1>();
  } else {
    return false;
  }
}

template <class T> constexpr bool points_somewhere() {
  if constexpr (points<T>) {
    return true;
  } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T>) {
    return points_inside<T>();
  } else {
    return false;
  }
}

}  // namespace plain_detail

/// What is in memory as it may travel: trivially copyable, and no pointer nor anything like a
/// `std::string_view` that has one. Aggregates are looked into; a class with a constructor or with private
/// members cannot be, and is believed.
template <class T>
inline constexpr bool plain_bytes = [] {
  if constexpr (std::is_trivially_copyable_v<T>) {
    return !plain_detail::points_somewhere<T>();
  } else {
    return false;
  }
}();

/// What looks at memory that others hold, as a `std::string_view` and a pointer do.
template <class T>
inline constexpr bool refers_elsewhere = std::is_trivially_copyable_v<T> && !plain_bytes<T>;

}  // namespace THALWEG_NAMESPACE::model
