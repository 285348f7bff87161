#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "apps/ferret/picture.hpp"
#include "apps/support/bits.hpp"

namespace apps::ferret {
namespace {

constexpr unsigned escape = 24;  // so many zeros: the value follows as it is

class bit_writer {
 public:
  explicit bit_writer(bytes& to) : to_(&to) {}

  void put(std::uint64_t value, unsigned count) {
    held_ = held_ << count | value;
    for (used_ += count; used_ >= 8; used_ -= 8) to_->push_back(static_cast<char>(held_ >> (used_ - 8)));
    held_ &= 0xFF;
  }
  /// Fills the last byte with zeros.
  void finish() {
    if (used_ > 0) put(0, 8 - used_);
  }

 private:
  bytes* to_;
  std::uint64_t held_ = 0;
  unsigned used_ = 0;
};

/// Bits from the highest of each byte on; zeros behind the end.
class bit_reader {
 public:
  explicit bit_reader(std::string_view from) : from_(from) {}

  /// At least 57 bits from the next one on, in the highest places.
  [[nodiscard]] std::uint64_t peek() const { return bits_from(from_, at_); }
  void skip(unsigned count) { at_ += count; }
  /// Whether all has been read, but for the rest of a byte, and nothing behind.
  [[nodiscard]] bool at_end() const { return (at_ + 7) / 8 == from_.size(); }

 private:
  std::string_view from_;
  std::size_t at_ = 0;
};

/// What is known of the errors of prediction in places alike.
struct context {
  std::uint32_t sum = 4;
  std::uint32_t count = 1;

  /// The number of low bits that are stored as they are.
  [[nodiscard]] unsigned rice() const {
    const int more = static_cast<int>(std::bit_width(sum)) - static_cast<int>(std::bit_width(count));
    const auto k = static_cast<unsigned>(std::max(more, 0));
    return std::min(k + (count << k < sum ? 1U : 0U), 7U);
  }
  void learn(std::uint32_t value) {
    sum += value;
    if (++count == 64) {
      sum /= 2;
      count /= 2;
    }
  }
};

struct neighbours {
  int left, up, up_left;

  /// The median of left, up and what continues their plane: keeps edges, and follows slopes.
  [[nodiscard]] int predicted() const {
    return std::max(std::min(left, up), std::min(std::max(left, up), left + up - up_left));
  }
  [[nodiscard]] unsigned activity() const {
    return static_cast<unsigned>(
        std::bit_width(static_cast<unsigned>(std::abs(left - up_left) + std::abs(up - up_left))));
  }
};

/// Calls `code(context, predicted, sample)` for every sample, which gives its value, in the order of `rgb`.
template <class Code>
void for_each_sample(std::uint8_t* rgb, std::uint32_t width, std::uint32_t height, Code code) {
  std::array<std::array<context, 10>, 3> contexts;
  const std::vector<std::uint8_t> nothing(3 * std::size_t{width});
  const std::uint8_t* above = nothing.data();
  for (std::uint32_t y = 0; y < height; ++y) {
    const auto* const first = rgb;
    std::array<int, 3> left{above[0], above[1], above[2]};
    auto up_left = left;
    for (std::uint32_t x = 0; x < width; ++x, rgb += 3, above += 3)
      for (std::size_t i = 0; i < 3; ++i) {
        const neighbours near{left[i], above[i], up_left[i]};
        up_left[i] = near.up;
        left[i] = rgb[i] = code(contexts[i][near.activity()], near.predicted(), rgb[i]);
      }
    above = first;
  }
}

}  // namespace

bytes encode(const picture& from) {
  bytes packed;
  bit_writer out(packed);
  auto rgb = from.rgb;  // as it is read while it is written, elsewhere
  for_each_sample(rgb.data(), from.width, from.height, [&](context& now, int predicted, std::uint8_t value) {
    const auto wrong = static_cast<std::int8_t>(value - predicted);
    const auto mapped = static_cast<std::uint8_t>(wrong < 0 ? -2 * wrong - 1 : 2 * wrong);
    const auto k = now.rice();
    if (const unsigned high = mapped >> k; high < escape) {
      out.put(1, high + 1);
      out.put(mapped & ((1U << k) - 1), k);
    } else {
      out.put(1, escape + 1);
      out.put(mapped, 8);
    }
    now.learn(mapped);
    return value;
  });
  out.finish();
  return packed;
}

bool decode(std::string_view packed, picture& into) {
  // A sample takes a bit or more: what cannot be is no reason to make room for it.
  if (8 * packed.size() < 3 * into.pixels()) return false;
  into.rgb.resize(3 * into.pixels());
  bit_reader in(packed);
  bool whole = true;
  for_each_sample(into.rgb.data(), into.width, into.height, [&](context& now, int predicted, std::uint8_t) {
    auto bits = in.peek();
    const auto zeros = static_cast<unsigned>(std::countl_zero(bits));
    whole &= zeros <= escape;
    const auto high = std::min(zeros, escape);
    const auto k = high < escape ? now.rice() : 8;
    bits <<= high + 1;
    const auto low = static_cast<std::uint32_t>(bits >> 32 >> (32 - k));
    in.skip(high + 1 + k);
    const auto mapped = high < escape ? ((high << k) | low) : low;
    now.learn(mapped);
    const auto wrong = (mapped & 1U) != 0 ? -static_cast<int>(mapped / 2) - 1 : static_cast<int>(mapped / 2);
    return static_cast<std::uint8_t>(predicted + wrong);
  });
  return whole && in.at_end();
}

}  // namespace apps::ferret
