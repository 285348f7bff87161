#include "apps/word_count/counts.hpp"

namespace apps::word_count {

void counts::add(std::string_view word, std::uint64_t times) {
  place_of(word, hash_of(word)).times += times;
}

std::uint64_t counts::times(std::string_view word) const {
  return slots_[find(word, hash_of(word))].times;
}

counts::slot& counts::make(std::string_view word, std::uint32_t hash) {
  if (2 * (size_ + 1) > slots_.size()) grow();
  auto& made = slots_[find(word, hash)];
  made = {head_of(word), letters_.size(), static_cast<std::uint32_t>(word.size()), hash, 0};
  letters_.insert(letters_.end(), word.begin(), word.end());
  ++size_;
  return made;
}

void counts::grow() {
  std::vector<slot> old(2 * slots_.size());
  old.swap(slots_);
  const auto mask = slots_.size() - 1;
  for (const auto& moved : old) {
    if (moved.size == 0) continue;
    auto at = moved.hash & mask;  // no two are alike
    while (slots_[at].size != 0) at = (at + 1) & mask;
    slots_[at] = moved;
  }
}

}  // namespace apps::word_count
