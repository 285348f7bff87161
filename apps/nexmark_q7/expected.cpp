#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "apps/nexmark/results.hpp"
#include "apps/nexmark_q7/nexmark_q7.hpp"

namespace apps::nexmark_q7 {
namespace {

void append_highest(std::string& lines, std::vector<nexmark::highest_bid>& bids) {
  std::ranges::sort(bids, std::ranges::greater(), &nexmark::highest_bid::price);
  for (const auto& one : bids)
    if (one.price == bids.front().price) lines.append(line_of(one));
}

}  // namespace

std::string expected(const nexmark::generator& house) {
  using std::chrono::milliseconds;
  std::string lines;
  std::map<std::int64_t, std::vector<nexmark::highest_bid>> windows;  // all bids of each
  std::int64_t latest = 0;
  for (std::uint64_t number = 0; number < house.of().events; ++number) {
    const auto one = house.event_at(number);
    if (one.what != nexmark::kind::bid) continue;
    latest = std::max(latest, one.time.count());
    const auto over = (latest - house.of().disorder.count()) / 10'000;  // so many windows
    for (; !windows.empty() && windows.begin()->first < over; windows.erase(windows.begin()))
      append_highest(lines, windows.begin()->second);
    const auto window = one.time.count() / 10'000;
    if (window < over) continue;
    windows[window].push_back(
        {milliseconds(window * 10'000), one.bid.auction, one.bid.bidder, one.bid.price, one.time});
  }
  for (auto& [window, bids] : windows) append_highest(lines, bids);
  return lines;
}

}  // namespace apps::nexmark_q7
