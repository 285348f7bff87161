#include "apps/nexmark/totals.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>

namespace apps::nexmark {
namespace {

class mixer {
 public:
  void add(std::uint64_t word) {
    state_ = (std::rotl(state_, 29) ^ word) * 0x9E3779B97F4A7C15;
    state_ ^= state_ >> 32;
  }
  void add(std::string_view text) {
    add(text.size());
    for (; text.size() >= 8; text.remove_prefix(8)) add(word_of(text.substr(0, 8)));
    if (!text.empty()) add(word_of(text));
  }
  [[nodiscard]] std::uint64_t state() const { return state_; }

 private:
  // The first byte is the lowest, whatever the machine.
  static std::uint64_t word_of(std::string_view text) {
    std::uint64_t word = 0;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&word, text.data(), text.size());
    } else {
      for (std::size_t i = 0; i < text.size(); ++i)
        word |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
    }
    return word;
  }
  std::uint64_t state_ = 0x2545F4914F6CDD1D;
};

std::uint64_t hash_of(std::chrono::milliseconds time, const bid& of) {
  mixer hash;
  hash.add(static_cast<std::uint64_t>(time.count()));
  hash.add(of.auction);
  hash.add(of.bidder);
  hash.add(of.price);
  hash.add(of.extra);
  return hash.state();
}

}  // namespace

void totals::add(std::chrono::milliseconds time, const bid& of) {
  const auto second = time - time % std::chrono::seconds(1);
  if (second != second_) {
    second_ = second;
    of_second_ = &by_second_[second];
  }
  ++of_second_->bids;
  of_second_->sum += hash_of(time, of);
}

std::string totals::lines() const {
  std::string made;
  for (const auto& [second, all] : by_second_) {
    char digits[16];
    const std::string_view sum(digits, std::to_chars(digits, digits + sizeof digits, all.sum, 16).ptr);
    made.append(std::to_string(second.count() / 1'000)).append(",").append(std::to_string(all.bids));
    made.append(",").append(sum).append("\n");
  }
  return made;
}

}  // namespace apps::nexmark
