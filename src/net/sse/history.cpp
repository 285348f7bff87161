#include "history.hpp"

#include <algorithm>
#include <charconv>

#include "../random_number.hpp"

namespace THALWEG_NAMESPACE::net::sse {

history::history(std::size_t capacity) : capacity_(capacity), name_(std::to_string(random_number()) + "-") {}

std::string history::next_id() const {
  return name_ + std::to_string(count_ + 1);
}

void history::add(const std::string& text) {
  ++count_;
  kept_.push_back(text);
  size_ += text.size();
  while (size_ > capacity_) {
    size_ -= kept_.front().size();
    kept_.pop_front();
  }
}

std::optional<history::rest> history::after(std::string_view id) const {
  if (!id.starts_with(name_)) return {};
  id.remove_prefix(name_.size());
  std::uint64_t had = 0;
  const auto read = std::from_chars(id.data(), id.data() + id.size(), had);
  if (read.ec != std::errc() || read.ptr != id.data() + id.size() || had > count_) return {};
  const auto missed = count_ - had;
  const auto there = std::min<std::uint64_t>(missed, kept_.size());
  return rest{.gone = missed - there, .first = kept_.size() - static_cast<std::size_t>(there)};
}

}  // namespace THALWEG_NAMESPACE::net::sse
