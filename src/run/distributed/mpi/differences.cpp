// The new length, and then by turns how many bytes are the same, and how many are not, with these. Numbers
// have seven bits in each byte, the lowest first; all bytes but the last have the eighth.
#include "differences.hpp"

#include <thalweg/model/codec.hpp>

#include <algorithm>
#include <cstdint>

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

// The same bytes between two that are not cost less than two numbers that leave them out.
constexpr std::size_t least_same = 3;
constexpr std::uint64_t longest_told = std::uint64_t{64} << 20U;

void put(std::vector<std::byte>& to, std::size_t n) {
  for (; n >= 128; n >>= 7U) to.push_back(static_cast<std::byte>(n | 128U));
  to.push_back(static_cast<std::byte>(n));
}

std::size_t take(std::span<const std::byte>& from) {
  std::uint64_t n = 0;
  for (unsigned shift = 0; !from.empty() && shift < 35; shift += 7) {
    const auto b = std::to_integer<std::uint64_t>(from.front());
    from = from.subspan(1);
    n |= (b & 127U) << shift;
    if (b < 128) return static_cast<std::size_t>(n);
  }
  throw codec_error("a difference that ends in a number");
}

}  // namespace

std::vector<std::byte> difference(std::span<const std::byte> before, std::span<const std::byte> now) {
  std::vector<std::byte> told;
  put(told, now.size());
  const auto same = [&](std::size_t i) { return i < before.size() && before[i] == now[i]; };
  for (std::size_t i = 0; i < now.size();) {
    const auto begin = i;
    while (i < now.size() && same(i)) ++i;
    if (i == now.size()) break;
    put(told, i - begin);
    const auto changed = i;
    std::size_t same_here = 0;
    for (; i < now.size() && same_here < least_same; ++i) same_here = same(i) ? same_here + 1 : 0;
    i -= same_here;
    put(told, i - changed);
    told.insert(told.end(), now.begin() + static_cast<std::ptrdiff_t>(changed),
                now.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return told;
}

void apply(std::span<const std::byte> change, std::vector<std::byte>& bytes) {
  const auto size = take(change);
  if (size > longest_told) throw codec_error("a difference of " + std::to_string(size) + " bytes");
  bytes.resize(size);
  for (std::size_t at = 0; !change.empty();) {
    at += take(change);
    const auto changed = take(change);
    if (changed > change.size() || at > size || changed > size - at)
      throw codec_error("a difference in what is not there");
    std::ranges::copy(change.first(changed), bytes.begin() + static_cast<std::ptrdiff_t>(at));
    change = change.subspan(changed);
    at += changed;
  }
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
