#include "apps/word_count/split.hpp"

#include <cstddef>
#include <cstdint>

#include "apps/word_count/letters.hpp"

namespace apps::word_count {

passage split(passage of) {
  constexpr std::size_t usual_word = 6;  // with what stands between words
  of.words.clear();
  of.words.reserve(of.text.size() / usual_word + 1);
  auto* const begin = of.text.data();
  const auto* const end = begin + of.text.size();
  for (auto* at = begin; at != end;) {
    if (letter_of(*at) == 0) {
      ++at;
      continue;
    }
    auto* const first = at;
    for (char letter = 0; at != end && (letter = letter_of(*at)) != 0; ++at) *at = letter;
    const auto size = static_cast<std::uint32_t>(at - first);
    of.words.push_back({static_cast<std::uint32_t>(first - begin), size, hash_of({first, size}), 1});
  }
  return of;
}

}  // namespace apps::word_count
