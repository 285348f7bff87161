/// `keyed`: the items of a stream with keys.
#pragma once

#include <thalweg/model/stage_traits.hpp>
#include <thalweg/pattern/key_table.hpp>
#include <thalweg/pipe/size_of.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {

/// An item and its key: what `key_by(key_of)` makes. A following stage that knows keys (`reduce`, `window`)
/// works on each key separately, and gives `keyed` results.
///
/// ```cpp
/// auto [key, value] = tw::keyed<std::string, int>{"a", 1};
/// assert(key == "a" && value == 1);
/// ```
template <class K, class T> struct keyed {
  K key;
  T value;

  friend bool operator==(const keyed&, const keyed&) = default;

  [[nodiscard]] std::size_t size_of() const
    requires(!pipe::has_fixed_size<K> || !pipe::has_fixed_size<T>)
  {
    return sizeof(*this) + (thalweg::size_of(key) - sizeof(key)) + (thalweg::size_of(value) - sizeof(value));
  }
};
template <class K, class T> keyed(K, T) -> keyed<K, T>;

namespace model {

template <class K, class T> inline constexpr bool copyable<keyed<K, T>> = copyable<K> && copyable<T>;

/// The key and the value of an item; `no_key`, and the item, where it has none.
template <class In> struct key_of_item {
  using key_type = no_key;
  using value_type = In;
  template <class R> using with = R;
};
template <class K, class T> struct key_of_item<keyed<K, T>> {
  using key_type = K;
  using value_type = T;
  template <class R> using with = keyed<K, R>;
};
template <class In> using key_t = typename key_of_item<In>::key_type;
template <class In> inline constexpr bool is_keyed = !std::is_same_v<key_t<In>, no_key>;
template <class In> using value_t = typename key_of_item<In>::value_type;
/// A result of type R for the key of an item.
template <class In, class R> using with_key = typename key_of_item<In>::template with<R>;

/// Calls `f(key, value)` with the parts of an item, movable if the item is.
template <class T, class F> decltype(auto) split_key(T&& item, F&& f) {
  if constexpr (std::is_same_v<key_t<std::remove_cvref_t<T>>, no_key>) {
    return std::forward<F>(f)(no_key{}, std::forward<T>(item));
  } else {
    return std::forward<F>(f)(std::forward<T>(item).key, std::forward<T>(item).value);
  }
}

/// The type as which a result for a key is sent.
template <class K, class R> auto joined_with_key(const K& key, R&& result) {
  if constexpr (std::is_same_v<K, no_key>) {
    return std::forward<R>(result);
  } else {
    return keyed<K, std::remove_cvref_t<R>>{key, std::forward<R>(result)};
  }
}

}  // namespace model
}  // namespace THALWEG_NAMESPACE
