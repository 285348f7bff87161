#include <thalweg/model/errors.hpp>
#include <thalweg/stages/blocks.hpp>

#include <algorithm>
#include <string>

namespace THALWEG_NAMESPACE::stages {

namespace {

// Of a file that does not say how long it is. A block grows as it is filled, so that a large size costs
// nothing where files are small.
constexpr std::size_t first_guess = std::size_t{64} << 10U;

}  // namespace

std::optional<block> block_reader::next(const std::stop_token& stop) {
  // Kept in the object: a read that fails may be tried again.
  while (got_ < size_) {
    if (got_ == begun_.size()) {
      auto expected = in_.expected() + in_.ahead().size();
      // Where more is not to be expected, find out before there is room for it.
      if (expected == 0 && got_ != 0) {
        if (!in_.fill(stop)) break;
        expected = in_.ahead().size();
      }
      const auto more = expected == 0 ? first_guess : std::max<std::uint64_t>(expected, got_);
      begun_.resize(got_ + static_cast<std::size_t>(std::min<std::uint64_t>(size_ - got_, more)));
    }
    const auto n = in_.read(begun_.data() + got_, begun_.size() - got_, stop);
    if (n == 0) break;
    got_ += n;
  }
  if (got_ == 0 || (got_ < size_ && stop.stop_requested())) return {};
  begun_.resize(std::exchange(got_, 0));
  if (begun_.capacity() > 2 * begun_.size()) begun_.shrink_to_fit();
  return std::exchange(begun_, {});
}

void check_block_size(std::int64_t size, model::stage_info& info) {
  if (size <= 0) info.problems.push_back("a block must hold at least 1 byte, not " + std::to_string(size));
}

}  // namespace THALWEG_NAMESPACE::stages
