#include "apps/word_count/combine.hpp"

#include <bit>

#include "apps/word_count/letters.hpp"

namespace apps::word_count {

passage combine::operator()(passage of) {
  auto& words = of.words;
  places_.assign(std::bit_ceil(2 * words.size() + 1), 0);
  const auto mask = places_.size() - 1;
  std::uint32_t found = 0;
  for (const auto one : words) {
    const auto same = [&](const word& other) {
      return other.hash == one.hash && of.letters(other) == of.letters(one);
    };
    auto place = one.hash & mask;
    while (places_[place] != 0 && !same(words[places_[place] - 1])) place = (place + 1) & mask;
    if (places_[place] != 0) {
      words[places_[place] - 1].times += one.times;
    } else {
      words[found] = one;  // at or before where it was
      places_[place] = ++found;
    }
  }
  words.resize(found);
  return of;
}

std::vector<passage> divide(const passage& of, std::size_t parts) {
  std::vector<passage> made(parts);
  for (auto& part : made) part.number = of.number;
  for (auto one : of.words) {
    auto& part = made[part_of(one.hash, parts)];
    const auto text = of.letters(one);
    one.first = static_cast<std::uint32_t>(part.text.size());
    part.text.insert(part.text.end(), text.begin(), text.end());
    part.words.push_back(one);
  }
  return made;
}

}  // namespace apps::word_count
