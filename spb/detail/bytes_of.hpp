#pragma once

#include <thalweg/pipe/size_of.hpp>

#include <cstddef>
#include <memory>
#include <variant>

namespace spb::detail {

/// The bytes of an element, with what it holds: that of `thalweg::size_of`, which asks its type; behind a
/// pointer, of what it points to; of a variant, of what is in it.
template <class T> std::size_t bytes_of(const T& element) {
  return thalweg::size_of(element);
}
template <class T> std::size_t bytes_of(const std::shared_ptr<T>& element) {
  return element ? bytes_of(*element) : 0;
}
template <class... T> std::size_t bytes_of(const std::variant<T...>& element) {
  return std::visit([](const auto& held) { return bytes_of(held); }, element);
}

}  // namespace spb::detail
