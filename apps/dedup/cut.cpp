#include "apps/dedup/cut.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "apps/support/random.hpp"

namespace apps::dedup {
namespace {

constexpr unsigned window = 64;  // bytes: each goes one bit up with each that follows, and then out

using gear_table = std::array<std::uint64_t, 256>;

// A random number for each byte. Another seed cuts elsewhere.
const gear_table& gear() {
  static const gear_table table = [] {
    random dice(0xDED0);
    gear_table made{};
    for (auto& number : made) number = dice.next();
    return made;
  }();
  return table;
}

// The highest bits know all bytes of the window.
constexpr std::uint64_t highest(unsigned bits) {
  return ~std::uint64_t{0} << (64 - bits);
}

}  // namespace

std::size_t cut(std::string_view bytes, const cut_rule& rule) {
  if (bytes.size() <= rule.least) return bytes.size();
  const auto& table = gear();
  std::uint64_t hash = 0;
  auto i = rule.least - window;
  const auto roll_to = [&](std::size_t end, std::uint64_t mask) {
    while (i < end) {
      hash = (hash << 1U) + table[static_cast<std::uint8_t>(bytes[i++])];
      if ((hash & mask) == 0) return true;
    }
    return false;
  };
  while (i < rule.least) hash = (hash << 1U) + table[static_cast<std::uint8_t>(bytes[i++])];
  const auto end = std::min(bytes.size(), rule.most);
  if (!roll_to(std::min(rule.usual, end), highest(rule.strict))) roll_to(end, highest(rule.loose));
  return i;
}

}  // namespace apps::dedup
