/// `size_of`: the bytes of an item, with what it owns.
#pragma once

#include <thalweg/pipe/aggregate.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {

namespace pipe {
/// Whether `size_of` is the same for all items of the type, so that a run of items needs no loop to be
/// weighed.
template <class T>
inline constexpr bool has_fixed_size = std::is_trivially_copyable_v<T> && !requires(const T& x) {
  x.size_of();
} && !requires(const T& x) { thalweg_size_of(x); };
}  // namespace pipe

template <class T> constexpr std::size_t size_of(const T& item);

namespace pipe {
/// What a part of an item keeps in memory outside of itself.
template <class T> constexpr std::size_t held_by(const T& part) {
  if constexpr (std::is_array_v<T>) {
    std::size_t sum = 0;
    if constexpr (!has_fixed_size<std::remove_all_extents_t<T>>) {
      for (const auto& x : part) sum += held_by(x);
    }
    return sum;
  } else if constexpr (has_fixed_size<T>) {
    return 0;
  } else {
    // A type that counts itself may say less than it is.
    const auto all = thalweg::size_of(part);
    return all > sizeof(T) ? all - sizeof(T) : 0;
  }
}
}  // namespace pipe

/// How many bytes an item keeps in memory, for the bounds on what is in flight. Containers, pairs, tuples,
/// optionals, variants and smart pointers count what they hold (a `std::shared_ptr` only what no other
/// shares), and so do structs of such without constructors, private members, bases and unions, of up to 32
/// members. A type with a member `std::size_t size_of() const`, or with a free function
/// `thalweg_size_of(const T&)` found by argument-dependent lookup, says it itself. Everything else counts
/// `sizeof(T)`: a class that holds memory behind a constructor has to say how much.
///
/// ```cpp
/// struct message { int id; std::string text; };
/// assert(tw::size_of(7) == sizeof(int));
/// assert(tw::size_of(std::vector<char>(1000)) >= 1000);
/// assert(tw::size_of(message{1, std::string(1000, 'x')}) >= 1000);
/// ```
template <class T> constexpr std::size_t size_of(const T& item) {
  if constexpr (requires {
                  { thalweg_size_of(item) } -> std::convertible_to<std::size_t>;
                }) {
    return thalweg_size_of(item);
  } else if constexpr (requires {
                         { item.size_of() } -> std::convertible_to<std::size_t>;
                       }) {
    return item.size_of();
  } else if constexpr (requires {
                         item.total();
                         item.elemSize();
                       }) {  // cv::Mat and its like
    return sizeof(T) + item.total() * item.elemSize();
  } else if constexpr (requires {
                         { item.ByteSizeLong() } -> std::convertible_to<std::size_t>;
                       }) {  // messages of protobuf: about as long as their bytes
    return sizeof(T) + item.ByteSizeLong();
  } else if constexpr (!std::is_trivially_copyable_v<T> && requires {
                         typename T::value_type;
                         item.size();
                         item.begin();
                         item.end();
                         requires !std::same_as<typename T::value_type, T>;  // as of a JSON value
                       }) {
    if constexpr (requires { std::tuple_size<T>::value; }) {  // std::array: its items lie in it
      std::size_t sum = sizeof(T);
      for (const auto& x : item) sum += pipe::held_by(x);
      return sum;
    } else if constexpr (pipe::has_fixed_size<typename T::value_type>) {
      return sizeof(T) + item.size() * sizeof(typename T::value_type);
    } else {
      std::size_t sum = sizeof(T);
      for (const auto& x : item) sum += thalweg::size_of(x);
      return sum;
    }
  } else if constexpr (!std::is_pointer_v<T> && requires {
                         typename T::element_type;
                         static_cast<bool>(item);
                         *item;
                       }) {
    // Smart pointers: what they point to travels with them.
    if constexpr (std::is_object_v<typename T::element_type> &&
                  !std::is_abstract_v<typename T::element_type> &&
                  !std::is_array_v<typename T::element_type>) {
      if constexpr (requires { item.use_count(); }) {
        // Shared: it would be counted once for each, and others may be changing it.
        return sizeof(T) + (item.use_count() == 1 ? thalweg::size_of(*item) : 0);
      } else {
        return sizeof(T) + (item ? thalweg::size_of(*item) : 0);
      }
    } else {
      return sizeof(T);
    }
  } else if constexpr (!std::is_trivially_copyable_v<T> && requires {
                         typename T::value_type;
                         item.has_value();
                         *item;
                       }) {  // std::optional and its like
    return sizeof(T) + (item.has_value() ? pipe::held_by(*item) : 0);
  } else if constexpr (!std::is_trivially_copyable_v<T> && requires { std::tuple_size<T>::value; }) {
    return std::apply(
        [](const auto&... part) { return sizeof(T) + (std::size_t{0} + ... + pipe::held_by(part)); }, item);
  } else if constexpr (!std::is_trivially_copyable_v<T> && requires {
                         item.valueless_by_exception();
                         item.index();
                       }) {  // std::variant
    return item.valueless_by_exception()
               ? sizeof(T)
               : sizeof(T) + visit([](const auto& x) { return pipe::held_by(x); }, item);
  } else if constexpr (!std::is_trivially_copyable_v<T> && pipe::member_count<T> > 0) {
    return sizeof(T) + pipe::with_members(item, [](const auto&... part) {
             return (std::size_t{0} + ... + pipe::held_by(part));
           });
  } else {
    return sizeof(T);
  }
}

}  // namespace THALWEG_NAMESPACE
