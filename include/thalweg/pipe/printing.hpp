#pragma once

// How an item becomes text for somebody who looks into the stream. Chunks know their items' printer as they
// know how to move them. Only <iosfwd> is needed: numbers and texts are printed by functions that are
// compiled once.

#include <thalweg/version.hpp>

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {

/// Whether a `look` shows what an item of type T says of itself. Specialise it as false for a type that must
/// not be seen, or whose `operator<<` is declared but does not compile: then its name and size are shown.
///
/// ```c++
/// struct secret { std::string word; };
/// std::ostream& operator<<(std::ostream& to, const secret& s) { return to << s.word; }
/// template <> inline constexpr bool tw::shows_text<secret> = false;
/// ```
template <class T> inline constexpr bool shows_text = true;

}  // namespace THALWEG_NAMESPACE

namespace THALWEG_NAMESPACE::pipe {

/// Writes an item to a stream.
using printer = void (*)(std::ostream& to, const void* item);

void print_text(std::ostream& to, std::string_view text);
void print_signed(std::ostream& to, long long number);
void print_unsigned(std::ostream& to, unsigned long long number);
void print_real(std::ostream& to, double number);
/// Whether more is of use: a stream that takes no more ends a long list.
[[nodiscard]] bool takes_more(const std::ostream& to);

template <class T> constexpr bool can_print();

template <class T>
concept has_stream_operator = requires(std::ostream& to, const T& x) { to << x; };
template <class T>
concept is_text = !std::is_pointer_v<T> && std::is_convertible_v<const T&, std::string_view>;
template <class T>
concept points_to_item = !std::is_pointer_v<T> && requires(const T& x) {
  typename T::element_type;
  static_cast<bool>(x);
  *x;
};
template <class T>
concept holds_maybe = requires(const T& x) {
  typename T::value_type;
  static_cast<bool>(x.has_value());
  *x;
};
template <class T>
concept is_list = requires(const T& x) {
  typename T::value_type;
  x.begin() != x.end();
  *x.begin();
  requires !std::same_as<typename T::value_type, T>;  // as of a JSON value, or of a path
};
template <class T>
concept has_parts = requires { std::tuple_size<T>::value; };
/// As cv::Mat: what it prints are all its numbers.
template <class T>
concept is_matrix = requires(const T& x) {
  x.total();
  x.elemSize();
};

template <class T, std::size_t... I> constexpr bool can_print_parts(std::index_sequence<I...>) {
  return (can_print<std::remove_cvref_t<std::tuple_element_t<I, T>>>() && ...);
}

/// Whether there is a text of such an item that says more than its address.
template <class T> constexpr bool can_print() {
  if constexpr (!shows_text<T>) {
    return false;
  } else if constexpr (std::is_arithmetic_v<T> || is_text<T>) {
    return true;
  } else if constexpr (is_matrix<T> || std::is_pointer_v<T> || std::is_array_v<T>) {
    return false;
  } else if constexpr (points_to_item<T>) {
    if constexpr (std::is_object_v<typename T::element_type>)
      return can_print<std::remove_cv_t<typename T::element_type>>();
    return false;
  } else if constexpr (has_stream_operator<T>) {
    return true;
  } else if constexpr (holds_maybe<T> || is_list<T>) {
    return can_print<std::remove_cv_t<typename T::value_type>>();
  } else if constexpr (has_parts<T>) {
    return can_print_parts<T>(std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    return false;
  }
}

/// Prints an item of a type that `can_print`. Of a list no more than the stream takes.
template <class T> void print(std::ostream& to, const T& x) {
  if constexpr (std::is_same_v<T, bool>) {
    print_text(to, x ? "true" : "false");
  } else if constexpr (std::is_same_v<T, char>) {
    print_text(to, std::string_view(&x, 1));
  } else if constexpr (std::is_floating_point_v<T>) {
    print_real(to, static_cast<double>(x));
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    print_signed(to, static_cast<long long>(x));
  } else if constexpr (std::is_integral_v<T>) {
    print_unsigned(to, static_cast<unsigned long long>(x));
  } else if constexpr (is_text<T>) {
    print_text(to, static_cast<std::string_view>(x));
  } else if constexpr (points_to_item<T>) {
    if (!static_cast<bool>(x)) return print_text(to, "nothing");
    if constexpr (requires { x.use_count(); }) {
      if (x.use_count() > 1) return print_text(to, "(shared with others, who may change it)");
    }
    pipe::print<std::remove_cv_t<typename T::element_type>>(to, *x);
  } else if constexpr (has_stream_operator<T>) {
    to << x;
  } else if constexpr (holds_maybe<T>) {
    if (!x.has_value()) return print_text(to, "nothing");
    pipe::print<std::remove_cv_t<typename T::value_type>>(to, *x);
  } else if constexpr (is_list<T>) {
    print_text(to, "{");
    const char* between = "";
    for (const auto& one : x) {
      if (!takes_more(to)) return;
      print_text(to, between);
      between = ", ";
      pipe::print<std::remove_cv_t<typename T::value_type>>(to, one);
    }
    print_text(to, "}");
  } else {
    print_text(to, "{");
    std::apply(
        [&to](const auto&... part) {
          const char* between = "";
          ((print_text(to, between), between = ", ", pipe::print(to, part)), ...);
        },
        x);
    print_text(to, "}");
  }
}

/// That of items of type T; null: there is none.
template <class T> constexpr printer printer_of() {
  if constexpr (can_print<T>()) {
    return [](std::ostream& to, const void* item) { pipe::print(to, *static_cast<const T*>(item)); };
  } else {
    return nullptr;
  }
}

}  // namespace THALWEG_NAMESPACE::pipe
