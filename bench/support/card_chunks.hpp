#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <fraud_detection.hpp>

/// Transactions of one part of the cards: to hand over a single one costs more than its prediction.
struct card_chunk {
  static constexpr std::size_t size = 256;

  std::size_t part = 0;
  std::vector<spb::Item> items;
};

/// Divides what `next(item)` gives by parts of the cards.
template <class Next> class card_chunks {
 public:
  card_chunks(std::size_t parts, Next next) : parts_(parts), next_(std::move(next)) {}

  /// The next chunk that is full, at the end of the stream those that are not, and then nothing.
  std::optional<card_chunk> operator()() {
    for (spb::Item item; next_(item);) {
      const auto part = item.key % parts_.size();
      if (parts_[part].empty()) parts_[part].reserve(card_chunk::size);
      parts_[part].push_back(item);
      if (parts_[part].size() == card_chunk::size) return card_chunk{part, std::exchange(parts_[part], {})};
    }
    for (std::size_t part = 0; part < parts_.size(); ++part)
      if (!parts_[part].empty()) return card_chunk{part, std::exchange(parts_[part], {})};
    return std::nullopt;
  }

 private:
  std::vector<std::vector<spb::Item>> parts_;
  Next next_;
};
