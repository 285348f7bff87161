#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace thalweg::model {

/// Stands for the key of a stream without keys.
struct no_key {};

template <class K>
concept std_hashable = requires(const K& key) {
  { std::hash<K>{}(key) } -> std::convertible_to<std::size_t>;
};

/// The hash of a key: `std::hash`, and for pairs and tuples of such, that of their parts.
template <class K> inline constexpr bool hashable = std_hashable<K>;
template <class... P> inline constexpr bool hashable<std::tuple<P...>> = (hashable<P> && ...);
template <class A, class B> inline constexpr bool hashable<std::pair<A, B>> = hashable<A> && hashable<B>;

template <class K> std::uint64_t hash_of(const K& key) {
  // What std::hash gives for integers is the integer: multiplied, and folded so that the low bits depend on
  // all.
  const auto mix = [](std::uint64_t h) {
    h *= 0x9E3779B97F4A7C15U;
    return h ^ (h >> 32U);
  };
  if constexpr (std_hashable<K>) {
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
/// each key. With 100 000 keys an item takes about a fifth (integers) to a half (texts) of the time that
/// std::unordered_map takes to lead to the same entries. Not for several threads at once.
template <class K, class V> class key_table {
 public:
  using id = std::uint32_t;

  /// The number of a key; one that is new gets the value that `make(key)` gives. If that throws, the key is
  /// not added.
  template <class Key, class Make> id find_or_add(Key&& key, Make&& make) {
    if (2 * (used_ + 1) > index_.size()) grow();
    const auto tag = static_cast<std::uint32_t>(hash_of<K>(key));
    std::size_t at = tag & mask_;
    for (; index_[at].number != 0; at = (at + 1) & mask_) {
      if (index_[at].tag == tag && entries_[index_[at].number - 1]->key == key) return index_[at].number - 1;
    }
    const id number = add(std::forward<Key>(key), std::forward<Make>(make));
    index_[at] = {tag, number + 1};
    ++used_;
    return number;
  }

  V& operator[](id number) { return entries_[number]->value; }
  [[nodiscard]] const K& key(id number) const { return entries_[number]->key; }
  [[nodiscard]] bool holds(id number) const { return entries_[number].has_value(); }
  /// How many keys there are.
  [[nodiscard]] std::size_t size() const noexcept { return used_; }
  /// The number that the next new key will get.
  [[nodiscard]] id next() const noexcept { return free_.empty() ? bound() : free_.back(); }
  /// All numbers are less than this.
  [[nodiscard]] id bound() const noexcept { return static_cast<id>(entries_.size()); }

  void erase(id number) {
    const auto tag = static_cast<std::uint32_t>(hash_of<K>(key(number)));
    std::size_t hole = tag & mask_;
    while (index_[hole].number != number + 1) hole = (hole + 1) & mask_;
    free_.push_back(number);
    for (std::size_t at = (hole + 1) & mask_; index_[at].number != 0; at = (at + 1) & mask_) {
      // What lies behind the hole must be found from its own place on.
      if (((at - index_[at].tag) & mask_) >= ((at - hole) & mask_)) {
        index_[hole] = index_[at];
        hole = at;
      }
    }
    index_[hole] = {};
    entries_[number].reset();
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

  template <class Key, class Make> id add(Key&& key, Make&& make) {
    if (free_.empty()) {
      if (entries_.size() >= most) throw std::length_error("more keys than a table can hold");
      V value = std::forward<Make>(make)(std::as_const(key));
      entries_.push_back(entry{std::forward<Key>(key), std::move(value)});
      return static_cast<id>(entries_.size() - 1);
    }
    const id number = free_.back();
    V value = std::forward<Make>(make)(std::as_const(key));
    entries_[number].emplace(entry{std::forward<Key>(key), std::move(value)});
    free_.pop_back();
    return number;
  }

  void grow() {
    std::vector<place> larger(index_.empty() ? 16 : 2 * index_.size());
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

  std::vector<place> index_;
  std::size_t mask_ = 0;
  std::size_t used_ = 0;
  std::deque<std::optional<entry>> entries_;
  std::vector<id> free_;
};

/// A stream without keys: there is one value, and nothing to look for.
template <class V> class key_table<no_key, V> {
 public:
  using id = std::uint32_t;

  template <class Make> id find_or_add(no_key key, Make&& make) {
    if (!value_) value_.emplace(std::forward<Make>(make)(key));
    return 0;
  }
  V& operator[](id) { return *value_; }
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

}  // namespace thalweg::model
