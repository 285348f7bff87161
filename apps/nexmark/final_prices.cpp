#include "apps/nexmark/final_prices.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace apps::nexmark {
namespace {

/// Calls `f` with the events of a kind that are not further behind the latest one of them than may be.
template <class F> void each_in_time(const generator& house, kind what, F f) {
  std::optional<std::chrono::milliseconds> latest;
  for (std::uint64_t number = 0; number < house.of().events; ++number) {
    const auto one = house.event_at(number);
    if (one.what != what || (latest && one.time + house.of().disorder < *latest)) continue;
    latest = std::max(latest.value_or(one.time), one.time);
    f(one);
  }
}

}  // namespace

std::vector<closed_auction> final_prices(const generator& house) {
  struct offer {
    std::chrono::milliseconds opens{0};
    closed_auction later;
  };
  std::vector<offer> offers(house.of().events / round_size * auctions_in_round + auctions_in_round);
  each_in_time(house, kind::auction, [&](const event& of) {
    const auto& its = *of.auction;
    offers[its.id - first_auction] = {of.time, {its.expires, its.id, its.seller, its.category, 0}};
  });
  each_in_time(house, kind::bid, [&](const event& of) {
    if (of.bid.auction - first_auction >= offers.size()) return;
    auto& [opens, later] = offers[of.bid.auction - first_auction];
    if (of.time >= opens && of.time <= later.expires) later.price = std::max(later.price, of.bid.price);
  });
  std::vector<closed_auction> closed;
  for (const auto& one : offers)
    if (one.later.price > 0) closed.push_back(one.later);
  std::ranges::sort(closed);
  return closed;
}

}  // namespace apps::nexmark
