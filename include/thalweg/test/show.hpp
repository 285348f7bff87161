#pragma once

#include <thalweg/model/plan.hpp>
#include <thalweg/model/ranges.hpp>
#include <thalweg/test/fields.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

/// Items as text, and where two lists of them differ.
namespace THALWEG_NAMESPACE::testing_detail {

template <class T>
concept printable = requires(std::ostream& out, const T& x) { out << x; };
template <class T>
concept tuple_like = requires { std::tuple_size<T>::value; };

/// An item as a reader of a failure wants to see it.
template <class T> std::string shown(const T& x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x ? "true" : "false";
  } else if constexpr (std::is_same_v<T, char>) {
    return std::string("'") + x + "'";
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return '"' + std::string(std::string_view(x)) + '"';
  } else if constexpr (std::is_integral_v<T> && sizeof(T) == 1) {
    return std::to_string(static_cast<int>(x));
  } else if constexpr (printable<T>) {
    std::ostringstream text;
    text << x;
    return std::move(text).str();
  } else if constexpr (requires {
                         typename T::value_type;
                         static_cast<bool>(x.has_value());
                         *x;
                       }) {
    return x ? shown(*x) : "nothing";
  } else if constexpr (std::ranges::input_range<const T>) {
    std::string text;
    for (const auto& one : x) text += (text.empty() ? "" : ", ") + shown(one);
    return "{" + text + "}";
  } else if constexpr (tuple_like<T>) {
    std::string text;
    std::apply([&](const auto&... part) { ((text += (text.empty() ? "" : ", ") + shown(part)), ...); }, x);
    return "{" + text + "}";
  } else if constexpr (field_count<T>() > 0) {
    std::string text;
    each_field(x, [&](const auto& part) { text += (text.empty() ? "" : ", ") + shown(part); });
    return model::type_name(typeid(T)) + "{" + text + "}";
  } else if constexpr (std::is_enum_v<T>) {
    return model::type_name(typeid(T)) + "(" + std::to_string(static_cast<std::underlying_type_t<T>>(x)) +
           ")";
  } else {
    return "(" + model::type_name(typeid(T)) + ", which has no operator<<)";
  }
}

/// Items [first, last) of a list, with what is left out marked.
template <class At> std::string shown_list(std::size_t size, std::size_t around, At&& at) {
  constexpr std::size_t before = 5;
  constexpr std::size_t most = 12;
  if (size == 0) return "nothing";
  const auto first = around > before ? around - before : 0;
  const auto last = size < first + most ? size : first + most;
  std::string text = first > 0 ? "..., " : "";
  for (auto i = first; i < last; ++i) text += (i > first ? ", " : "") + at(i);
  if (last < size) text += ", ...";
  if (size > most) text += " (" + std::to_string(size) + " items)";
  return text;
}

template <class T> std::string shown_list(const std::vector<T>& items, std::size_t around = 0) {
  return testing_detail::shown_list(items.size(), around, [&](std::size_t i) { return shown(items[i]); });
}

/// Where `got` differs from what was expected; nothing if it does not.
template <class T>
std::optional<std::string> difference(const std::vector<T>& expected, const std::vector<T>& got) {
  std::size_t i = 0;
  while (i < expected.size() && i < got.size() && expected[i] == got[i]) ++i;
  if (i == expected.size() && i == got.size()) return {};
  std::string text = "\n  expected: " + shown_list(expected, i) + "\n  got:      " + shown_list(got, i);
  text += "\n  they differ at item " + std::to_string(i) + ": ";
  if (i == expected.size()) return text + "nothing more was expected, but " + shown(got[i]) + " came";
  if (i == got.size()) return text + shown(expected[i]) + " was expected, but nothing more came";
  return text + shown(expected[i]) + " was expected, but " + shown(got[i]) + " came";
}

/// The same where the order does not matter.
template <class T>
std::optional<std::string> difference_in_any_order(const std::vector<T>& expected,
                                                   const std::vector<T>& got) {
  std::vector<bool> used(got.size(), false);
  const auto list = [](const auto& items, const std::vector<std::size_t>& which) {
    return testing_detail::shown_list(which.size(), 0, [&](std::size_t i) { return shown(items[which[i]]); });
  };
  std::vector<std::size_t> missing;
  std::vector<std::size_t> surplus;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::size_t k = 0;
    while (k < got.size() && (used[k] || !(expected[i] == got[k]))) ++k;
    k < got.size() ? void(used[k] = true) : missing.push_back(i);
  }
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (!used[k]) surplus.push_back(k);
  }
  if (missing.empty() && surplus.empty()) return {};
  return "\n  expected, in any order: " + shown_list(expected) + "\n  got: " + shown_list(got) +
         "\n  missing: " + list(expected, missing) + "\n  not expected: " + list(got, surplus);
}

}  // namespace THALWEG_NAMESPACE::testing_detail
