#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "apps/fraud_detection/partition.hpp"
#include "apps/fraud_detection/transaction.hpp"

namespace apps::fraud_detection {

/// The state of one card: the types of its last transactions, oldest first; 0 where there has been none yet.
class history {
 public:
  static constexpr std::size_t length = 6;
  static_assert(std::endian::native ==
                std::endian::little);  // `add` counts on the first byte being the lowest

  void add(type newest) {
    // All at once: moving single bytes takes longer than the rest of a prediction.
    std::uint64_t all = 0;
    std::memcpy(&all, types_.data(), length);
    all = all >> 8 | std::uint64_t{newest} << (8 * (length - 1));
    std::memcpy(types_.data(), &all, length);
  }
  const std::array<type, length>& types() const { return types_; }

 private:
  std::array<type, length> types_{};
};

/// The states of many cards: a hash table with open addressing (linear probing, at most half full). A card
/// and its history are 16 bytes, so that nearly every look-up is one cache line. Grows by itself;
/// thread-confined: each partition of a keyed stream has its own.
class histories {
 public:
  /// `cards`: about how many will come, so that the table need not grow while the stream flows.
  explicit histories(std::size_t cards = 1000) : slots_(std::bit_ceil(2 * cards + 2)) {}

  /// The history of a card, an empty one if it has not been seen. Valid until the next call.
  history& of(const card& wanted) {
    auto& found = find(wanted);
    if (found.card == wanted) return found.past;
    if (2 * (size_ + 1) <= slots_.size()) return add(found, wanted);
    grow();
    return add(find(wanted), wanted);
  }

  /// How many cards have been seen.
  std::size_t size() const { return size_; }

 private:
  struct alignas(16) slot {
    fraud_detection::card card;  ///< no characters: free
    history past;
  };
  static_assert(sizeof(slot) == 16);

  slot& find(const card& wanted) {
    const auto mask = slots_.size() - 1;
    auto i = hash_of(wanted) & mask;
    while (slots_[i].card != wanted && slots_[i].card.characters[0]) i = (i + 1) & mask;
    return slots_[i];
  }
  history& add(slot& free, const card& added) {
    ++size_;
    free.card = added;
    return free.past;
  }
  void grow() {
    std::vector<slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const auto& moved : old)
      if (moved.card.characters[0]) find(moved.card) = moved;
  }

  std::vector<slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace apps::fraud_detection
