// Hand-made chunks: what experts write around a library that pays for every item it passes on.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace micro {

template <class Source> using item_of = typename decltype(std::declval<Source&>()())::value_type;

/// Collects `length` items of a source into a vector.
template <class Source> class chunked_source {
 public:
  chunked_source(Source& source, std::size_t length) : source_(source), length_(length) {}

  std::optional<std::vector<item_of<Source>>> operator()() {
    std::vector<item_of<Source>> chunk;
    chunk.reserve(length_);
    while (chunk.size() < length_) {
      auto item = source_();
      if (!item) break;
      chunk.push_back(*std::move(item));
    }
    if (chunk.empty()) return std::nullopt;
    return chunk;
  }

 private:
  Source& source_;
  std::size_t length_;
};

/// A stage for chunks made of a stage for items.
template <class Stage> class chunked_stage {
 public:
  explicit chunked_stage(Stage& stage) : stage_(stage) {}

  template <class Item> std::vector<Item> operator()(std::vector<Item> chunk) const {
    for (auto& item : chunk) item = stage_(std::move(item));
    return chunk;
  }

 private:
  Stage& stage_;
};

template <class Sink> class chunked_sink {
 public:
  explicit chunked_sink(Sink& sink) : sink_(sink) {}

  template <class Item> void operator()(std::vector<Item> chunk) const {
    for (auto& item : chunk) sink_(std::move(item));
  }

 private:
  Sink& sink_;
};

}  // namespace micro
