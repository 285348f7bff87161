#pragma once

#include <thalweg/model/codec.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

/// How an item travels whose large parts are not copied: what is read has its blocks when all else is there.
template <class T> struct sent_by_blocks {
  std::vector<std::byte> letter;
  std::vector<std::span<const std::byte>> blocks;

  /// The item must outlive this.
  explicit sent_by_blocks(const T& item) {
    thalweg::byte_writer to(letter, blocks);
    thalweg::codec<T>::write(to, item);
  }

  /// \throws codec_error  if what is read is not what was written
  [[nodiscard]] T received() const {
    std::size_t more = 0;
    for (const auto& b : blocks) more += b.size();
    std::vector<std::span<std::byte>> places;
    thalweg::byte_reader from(letter, more, places);
    T item{};
    thalweg::codec<T>::read(from, item);
    if (from.left() != 0 || places.size() != blocks.size()) throw thalweg::codec_error("other blocks");
    T moved = std::move(item);  // where the blocks belong does not move
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i].size() != places[i].size()) throw thalweg::codec_error("a block of another size");
      std::memcpy(places[i].data(), blocks[i].data(), blocks[i].size());
    }
    return moved;
  }
};
