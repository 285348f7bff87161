#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "apps/support/files.hpp"
#include "apps/support/input_held.hpp"

namespace apps {

/// A source of files: items for whose `file` an operator does the reading. `Item` has a `number`, its place
/// in the stream from 0, a `file`, and `content`, the bytes of it, which are there if the source holds its
/// input. \throws error  naming the file, if it cannot be read
template <class Item> class file_source {
 public:
  explicit file_source(std::vector<std::filesystem::path> files, input_held held = input_held::on_disk)
      : files_(std::move(files)) {
    if (held == input_held::on_disk) return;
    held_.reserve(files_.size());
    for (const auto& file : files_) held_.push_back(read_file(file));
  }
  /// The next item; nothing behind the last.
  std::optional<Item> operator()() {
    if (number_ == files_.size()) return std::nullopt;
    Item next;
    next.number = number_;
    next.file = files_[number_];
    if (!held_.empty()) next.content = std::move(held_[number_]);
    ++number_;
    return next;
  }

 private:
  std::vector<std::filesystem::path> files_;
  std::vector<bytes> held_;
  std::size_t number_ = 0;
};

}  // namespace apps
