#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "apps/dedup/cut.hpp"
#include "apps/dedup/dedup.hpp"
#include "apps/support/error.hpp"
#include "apps/support/order.hpp"

namespace apps::dedup {
namespace {

constexpr std::size_t block = std::size_t{4} << 20U;  // what is read at once
static_assert(block > coarse.most);

}  // namespace

source::source(std::filesystem::path file, input_held held) : in_(std::move(file)) {
  if (held == input_held::in_memory) {
    window_ = read_file(in_.path());
    ended_ = true;
  } else {
    fill();
  }
}

void source::fill() {
  const auto left = window_.size() - at_;
  std::copy_n(window_.begin() + static_cast<std::ptrdiff_t>(at_), left, window_.begin());
  at_ = 0;
  window_.resize(block);
  window_.resize(left + in_.read(window_.data() + left, block - left));
  ended_ = window_.size() < block;
}

std::optional<fragment> source::operator()() {
  if (!ended_ && window_.size() - at_ < coarse.most) fill();
  const auto rest = view(window_).substr(at_);
  if (rest.empty()) return std::nullopt;
  const auto piece = rest.substr(0, cut(rest, coarse));
  at_ += piece.size();
  return fragment{number_++, bytes(piece.begin(), piece.end()), {}};
}

fragment refine(fragment one) {
  auto rest = view(one.data);
  while (!rest.empty()) {
    const auto piece = rest.substr(0, cut(rest, fine));
    one.chunks.push_back({static_cast<std::uint32_t>(piece.size()), digest_of(piece), false, {}});
    rest.remove_prefix(piece.size());
  }
  return one;
}

fragment deduplicate::operator()(fragment one) {
  for (auto& c : one.chunks) {
    const auto [known, is_new] = first_.try_emplace(c.hash, one.number);
    c.repeats = !is_new && known->second <= one.number;
    known->second = std::min(known->second, one.number);
  }
  return one;
}

fragment compress::operator()(fragment one) {
  auto rest = view(one.data);
  for (auto& c : one.chunks) {
    if (!c.repeats) c.packed = pack_(rest.substr(0, c.size));
    rest.remove_prefix(c.size);
  }
  one.data = bytes();
  return one;
}

void sink::operator()(const fragment& one) {
  check_order(out_.path(), "fragment", one.number, number_++);
  for (const auto& c : one.chunks) {
    const auto [known, is_new] = stored_.try_emplace(c.hash, static_cast<std::uint32_t>(stored_.size()));
    if (!is_new) {
      out_.repeat(known->second, c);
    } else if (!c.packed.empty()) {
      out_.store(c);
    } else {
      throw error("'" + out_.path().string() + "' is not written: a chunk of fragment " +
                  std::to_string(one.number) + " is the first of its kind, but was not compressed");
    }
  }
}

}  // namespace apps::dedup
