#include "archive.hpp"

#include <algorithm>

namespace demo {

std::optional<std::string> archive::operator()() {
  std::string block;
  block.reserve(size_);
  while (block.size() < size_) {
    if (piece_.empty()) piece_ = next_piece();
    if (piece_.empty()) break;
    const auto part = piece_.substr(0, size_ - block.size());
    block += part;
    piece_.remove_prefix(part.size());
  }
  if (block.empty()) return std::nullopt;
  return block;
}

std::string_view archive::next_piece() {
  if (left_ > 0) return read_file();
  if (ended_) return {};
  buffer_.assign(padding_, '\0');
  if (next_ == tree_->entries.size()) {
    ended_ = true;
    return buffer_.append(end_of_archive, '\0');
  }
  const entry& e = tree_->entries[next_++];
  left_ = e.size;
  padding_ = padding(e.size);
  file_ = e.size > 0 ? std::ifstream(e.path, std::ios::binary) : std::ifstream();
  return buffer_ += tar_header(e);
}

std::string_view archive::read_file() {
  constexpr std::uint64_t piece_size = 1U << 16U;
  buffer_.assign(std::min(left_, piece_size), '\0');
  file_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  left_ -= buffer_.size();
  return buffer_;
}

}  // namespace demo
