#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "apps/fraud_detection/transaction.hpp"

namespace apps::fraud_detection {

/// 64 well mixed bits of a card's name.
inline std::uint64_t hash_of(const card& card) {
  const auto [front, back] = card.words();
  const auto mixed = (front ^ std::rotl(back * 0x9E3779B97F4A7C15, 32)) * 0xD6E8FEB86659FD93;
  return mixed ^ (mixed >> 32);
}

/// Which of `partitions` a card belongs to, 0 to partitions - 1: all transactions of a card go to one.
inline std::size_t partition_of(const card& card, std::size_t partitions) {
  // By the upper bits: `histories` places a card by the lower ones, and would see few of them otherwise.
  return ((hash_of(card) >> 32) * partitions) >> 32;
}

}  // namespace apps::fraud_detection

/// Keyed streams of other libraries find their partitions by it.
template <> struct std::hash<apps::fraud_detection::card> {
  std::size_t operator()(const apps::fraud_detection::card& card) const {
    return apps::fraud_detection::hash_of(card);
  }
};
