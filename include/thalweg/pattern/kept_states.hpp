#pragma once

#include <thalweg/pattern/first_ranks.hpp>
#include <thalweg/pattern/key_table.hpp>
#include <thalweg/pattern/keyed.hpp>
#include <thalweg/pipe/chunk.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// The numbers of the keys of a table, in the order in which they were given.
template <class K, class V> std::vector<typename key_table<K, V>::id> ids_of(const key_table<K, V>& from) {
  std::vector<typename key_table<K, V>::id> all;
  all.reserve(from.size());
  for (typename key_table<K, V>::id i = 0; i < from.bound(); ++i) {
    if (from.holds(i)) all.push_back(i);
  }
  return all;
}

/// Moves all keys of a part, and what belongs to them, out of their table: in the order in which they
/// appeared, each with the rank of its first item. `in_order` are their numbers in that order.
template <class K, class V, class Ids>
void take_states(key_table<K, V>& from, first_ranks& appeared, pipe::chunk<keyed<K, V>>& into,
                 const Ids& in_order) {
  into.ranked = true;
  for (const auto i : in_order)
    into.emplace_marked({0, appeared.of(i)}, keyed<K, V>{from.key(i), std::move(from[i])});
  from = {};
  appeared = {};
}

/// The same if keys have their numbers in that order: none was ever erased.
template <class K, class V>
void take_states(key_table<K, V>& from, first_ranks& appeared, pipe::chunk<keyed<K, V>>& into) {
  const auto all = ids_of(from);
  model::take_states(from, appeared, into, all);
}

/// And into a table without keys.
template <class K, class V>
void put_states(pipe::chunk<keyed<K, V>>& from, key_table<K, V>& into, first_ranks& appeared) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    appeared.set(into.next(), from.mark_of(i).rank);
    into.find_or_add(std::move(from[i].key), [&](const K&) -> V { return std::move(from[i].value); });
  }
}

}  // namespace THALWEG_NAMESPACE::model
