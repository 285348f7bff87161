#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

/// Restores the order of the stream where an interface's farms do not keep it: holds items until those before
/// them have come. As many wait as have overtaken the slowest.
template <class Item> class in_order {
 public:
  void put(std::unique_ptr<Item> item) {
    const auto place = item->batch_index;
    early_.emplace(place, std::move(item));
  }
  /// The item that is due; nothing until it has come.
  std::unique_ptr<Item> next() {
    const auto first = early_.begin();
    if (first == early_.end() || first->first != due_) return nullptr;
    ++due_;
    return std::move(early_.extract(first).mapped());
  }

 private:
  std::map<std::uint64_t, std::unique_ptr<Item>> early_;
  std::uint64_t due_ = 0;
};
