#include "apps/nexmark_q5/hot_items.hpp"

#include <algorithm>

#include "apps/nexmark/results.hpp"

namespace apps::nexmark_q5 {
namespace {

constexpr std::chrono::milliseconds size = std::chrono::seconds(10);
constexpr std::chrono::milliseconds slide = std::chrono::seconds(2);

}  // namespace

void hot_items::take(const nexmark::event& of, std::vector<std::string>& results) {
  if (of.what != nexmark::kind::bid) return;
  time_.come_to(of.time);
  give_until(time_.reached(), results);
  const auto slice = nexmark::on_grid(of.time, slide);
  if (slice + size > time_.reached()) ++slices_[slice][of.bid.auction];
}

void hot_items::end(std::vector<std::string>& results) {
  give_until(std::chrono::milliseconds::max(), results);
}

void hot_items::give_until(std::chrono::milliseconds reached, std::vector<std::string>& results) {
  while (!slices_.empty()) {
    const auto begin = std::max(next_, slices_.begin()->first - size + slide);
    if (begin > reached - size) return;
    give(begin, results);
    next_ = begin + slide;
    slices_.erase(slices_.begin(), slices_.lower_bound(next_));
  }
}

void hot_items::give(std::chrono::milliseconds begin, std::vector<std::string>& results) const {
  counts all;
  for (auto slice = slices_.lower_bound(begin); slice != slices_.lower_bound(begin + size); ++slice)
    for (const auto& [auction, bids] : slice->second) all[auction] += bids;
  std::uint64_t most = 1;
  for (const auto& [auction, bids] : all) most = std::max(most, bids);
  for (const auto& [auction, bids] : all)
    if (bids == most) results.push_back(line_of(nexmark::hot_item{begin, auction, bids}));
}

}  // namespace apps::nexmark_q5
