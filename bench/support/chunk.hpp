#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

/// Items that are handed over together, where handing over a single one costs more than most of them.
template <class Item> class chunk {
 public:
  static constexpr std::size_t size = 64;

  /// The next items of a source; nothing at the end of the stream.
  template <class Source> static std::optional<chunk> next() {
    chunk some;
    if (!some.template take<Source>()) return std::nullopt;
    return some;
  }
  /// Fills it with the next items of a source; false at the end of the stream.
  template <class Source> bool take() {
    items_.clear();
    for (Item item; items_.size() < size && Source::op(item);) items_.push_back(std::move(item));
    return !items_.empty();
  }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }

  /// Applies an operator to each of the items.
  template <class Operator> void apply() {
    for (auto& item : items_) Operator::op(item);
  }
  /// Applies it to those of which operators that filter have left something.
  template <class Operator> void apply_to_rest() {
    for (auto& item : items_)
      if (item) Operator::op(item);
  }

 private:
  std::vector<Item> items_;
};
