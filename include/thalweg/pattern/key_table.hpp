#pragma once

#include <thalweg/pipe/inline.hpp>
#include <thalweg/version.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// Stands for the key of a stream without keys.
struct no_key {};

template <class K>
concept std_hashable = requires(const K& key) {
  { std::hash<K>{}(key) } -> std::convertible_to<std::size_t>;
};

/// The hash of a key: `std::hash`, and for pairs and tuples that of their parts.
template <class K> inline constexpr bool hashable = std_hashable<K>;
template <class... P> inline constexpr bool hashable<std::tuple<P...>> = (hashable<P> && ...);
template <class A, class B> inline constexpr bool hashable<std::pair<A, B>> = hashable<A> && hashable<B>;

template <class K> inline constexpr bool hashable<std::optional<K>> = hashable<K>;

template <class K> inline constexpr bool optional_key = false;
template <class K> inline constexpr bool optional_key<std::optional<K>> = true;

template <class K> inline constexpr bool key_of_parts = false;
template <class... P> inline constexpr bool key_of_parts<std::tuple<P...>> = true;
template <class A, class B> inline constexpr bool key_of_parts<std::pair<A, B>> = true;

/// Whether two keys are the same: by `==`, but all NaN are one key, also within pairs, tuples and optionals.
/// Otherwise each of them would be a new one.
template <class A, class B> bool same_key(const A& a, const B& b) {
  if constexpr (std::same_as<A, B> && std::floating_point<A>) {
    return a == b || (a != a && b != b);
  } else if constexpr (std::same_as<A, B> && optional_key<A>) {
    return a.has_value() == b.has_value() && (!a.has_value() || model::same_key(*a, *b));
  } else if constexpr (std::same_as<A, B> && key_of_parts<A>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (model::same_key(std::get<I>(a), std::get<I>(b)) && ...);
    }(std::make_index_sequence<std::tuple_size_v<A>>{});
  } else {
    return a == b;
  }
}

template <class K> std::uint64_t hash_of(const K& key) {
  // std::hash of an integer is the integer: it is multiplied, and folded so that the low bits depend on all.
  const auto mix = [](std::uint64_t h) {
    h *= 0x9E3779B97F4A7C15U;
    return h ^ (h >> 32U);
  };
  if constexpr (std::floating_point<K>) {
    return mix(key != key ? 1 : std::hash<K>{}(key));
  } else if constexpr (optional_key<K>) {
    return key.has_value() ? model::hash_of(*key) : mix(2);
  } else if constexpr (std_hashable<K>) {
    return mix(std::hash<K>{}(key));
  } else {
    return std::apply(
        [&](const auto&... part) {
          std::uint64_t h = 0;
          ((h = mix(h + model::hash_of(part))), ...);
          return h;
        },
        key);
  }
}

/// What belongs to each key of a stream, in the order in which the keys were first seen. Keys are known by a
/// number: 0 for the first one, and so on; a number that was erased is given again. Values never move, so
/// references to them stay valid until they are erased.
///
/// An index by open addressing with linear probing (Knuth, TAOCP vol. 3, 6.4, algorithms L and R) leads to
/// entries in the order of their numbers: keeping that order costs nothing, and growing moves 8 bytes for
/// each key. Entries are in blocks, each as large as all before it, so that a number leads to its entry
/// without another memory access. Not for several threads at once.
template <class K, class V> class key_table {
 public:
  using id = std::uint32_t;

  /// A key's number and value.
  struct found {
    id number;
    V& value;
  };

  /// Looks for a key; one that is new gets the value that `make(key)` gives. If that throws, the key is not
  /// added.
  template <class Key, class Make> THALWEG_INLINE found find_or_add(Key&& key, Make&& make) {
    const auto tag = static_cast<std::uint32_t>(hash_of<K>(key));
    for (std::size_t at = tag & mask_; index_[at].number != 0; at = (at + 1) & mask_) {
      if (index_[at].tag != tag) continue;
      const id number = index_[at].number - 1;
      if (auto& e = *entry_of(number); model::same_key(e.key, key)) return {number, e.value};
    }
    return add(tag, std::forward<Key>(key), std::forward<Make>(make));
  }

  V& operator[](id number) { return entry_of(number)->value; }
  [[nodiscard]] const K& key(id number) const { return entry_of(number)->key; }
  [[nodiscard]] bool holds(id number) const { return entry_of(number).has_value(); }
  /// How many keys there are.
  [[nodiscard]] std::size_t size() const noexcept { return used_; }
  /// The number that the next new key will get.
  [[nodiscard]] id next() const noexcept { return free_.empty() ? bound() : free_.back(); }
  /// All numbers are less than this.
  [[nodiscard]] id bound() const noexcept { return made_; }

  void erase(id number) {
    const auto tag = static_cast<std::uint32_t>(hash_of<K>(key(number)));
    std::size_t hole = tag & mask_;
    while (index_[hole].number != number + 1) hole = (hole + 1) & mask_;
    free_.push_back(number);
    for (std::size_t at = (hole + 1) & mask_; index_[at].number != 0; at = (at + 1) & mask_) {
      // Entries after the hole must be found from their own place on.
      if (((at - index_[at].tag) & mask_) >= ((at - hole) & mask_)) {
        index_[hole] = index_[at];
        hole = at;
      }
    }
    index_[hole] = {};
    entry_of(number).reset();
    --used_;
  }

 private:
  struct entry {
    K key;
    V value;
  };
  struct place {
    std::uint32_t tag = 0;     // the hash
    std::uint32_t number = 0;  // of the key, plus 1; 0: free
  };

  // A separate function, so that the look-up of a known key fits into the loop over items.
  template <class Key, class Make> [[gnu::noinline]] found add(std::uint32_t tag, Key&& key, Make&& make) {
    if (2 * (used_ + 1) > index_.size()) grow();
    const id number = next();
    if (number == made_) make_room();
    auto& e = entry_of(number);
    V value = std::forward<Make>(make)(std::as_const(key));
    e.emplace(entry{std::forward<Key>(key), std::move(value)});
    if (number == made_) {
      ++made_;
    } else {
      free_.pop_back();
    }
    std::size_t at = tag & mask_;
    while (index_[at].number != 0) at = (at + 1) & mask_;
    index_[at] = {tag, number + 1};
    ++used_;
    return {number, e->value};
  }

  // Block b holds 2^b first blocks: as many as those before it, and `first_block` more.
  std::optional<entry>& entry_of(id number) const {
    const auto at = std::size_t{number} + first_block;
    const auto top = std::bit_width(at) - 1;
    return blocks_[top - first_bit][at ^ (std::size_t{1} << top)];
  }
  void make_room() {
    if (made_ >= most) throw std::length_error("more keys than a table can hold");
    const auto block = std::bit_width(std::size_t{made_} + first_block) - 1 - first_bit;
    if (blocks_[block] == nullptr)
      blocks_[block] = std::make_unique<std::optional<entry>[]>(first_block << block);
  }

  void grow() {
    std::vector<place> larger(2 * std::max(index_.size(), first_index));
    const auto mask = larger.size() - 1;
    for (const auto& p : index_) {
      if (p.number == 0) continue;
      auto at = p.tag & mask;
      while (larger[at].number != 0) at = (at + 1) & mask;
      larger[at] = p;
    }
    index_ = std::move(larger);
    mask_ = mask;
  }

  static constexpr std::size_t most = std::size_t{1} << 31U;
  static constexpr int first_bit = 3;
  static constexpr std::size_t first_block = std::size_t{1} << first_bit;
  static constexpr std::size_t first_index = 8;

  std::vector<place> index_ =
      std::vector<place>(1);  // one place, always free: nothing to ask for before a look
  std::size_t mask_ = 0;
  std::size_t used_ = 0;
  std::array<std::unique_ptr<std::optional<entry>[]>, 32 - first_bit> blocks_;
  id made_ = 0;  // entries, of which some may be free
  std::vector<id> free_;
};

/// A stream without keys: there is one value, and nothing to look for.
template <class V> class key_table<no_key, V> {
 public:
  using id = std::uint32_t;
  struct found {
    id number;
    V& value;
  };

  template <class Make> found find_or_add(no_key key, Make&& make) {
    if (!value_) value_.emplace(std::forward<Make>(make)(key));
    return {0, *value_};
  }
  V& operator[](id) { return *value_; }
  const V& operator[](id) const { return *value_; }
  [[nodiscard]] const no_key& key(id) const { return key_; }
  [[nodiscard]] bool holds(id) const { return value_.has_value(); }
  [[nodiscard]] std::size_t size() const noexcept { return value_ ? 1 : 0; }
  [[nodiscard]] id next() const noexcept { return 0; }
  [[nodiscard]] id bound() const noexcept { return value_ ? 1 : 0; }
  void erase(id) { value_.reset(); }

 private:
  std::optional<V> value_;
  no_key key_;
};

}  // namespace THALWEG_NAMESPACE::model
