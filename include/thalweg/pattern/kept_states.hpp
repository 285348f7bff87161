#pragma once

#include <thalweg/pattern/first_ranks.hpp>
#include <thalweg/pattern/key_table.hpp>
#include <thalweg/pattern/keyed.hpp>
#include <thalweg/pipe/chunk.hpp>

#include <cstddef>
#include <utility>

namespace thalweg::model {

/// Moves all keys of a part, and what belongs to them, out of their table: in the order in which they have
/// appeared, each with the rank of the item with which it did.
template <class K, class V>
void take_states(key_table<K, V>& from, first_ranks& appeared, pipe::chunk<keyed<K, V>>& into) {
  into.ranked = true;
  for (typename key_table<K, V>::id i = 0; i < from.bound(); ++i) {
    if (!from.holds(i)) continue;
    into.emplace_marked({0, appeared.of(i)}, keyed<K, V>{from.key(i), std::move(from[i])});
  }
  from = {};
  appeared = {};
}

/// And into a table without keys.
template <class K, class V>
void put_states(pipe::chunk<keyed<K, V>>& from, key_table<K, V>& into, first_ranks& appeared) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    appeared.set(into.next(), from.mark_of(i).rank);
    into.find_or_add(std::move(from[i].key), [&](const K&) -> V { return std::move(from[i].value); });
  }
}

}  // namespace thalweg::model
