#include "apps/nexmark/winning_bids.hpp"

namespace apps::nexmark {

bool winning_bids::open(const event& of) {
  if (of.time < auctions_.reached()) return false;
  auctions_.come_to(of.time);
  std::erase_if(early_, [&](const early_bid& one) { return one.time < auctions_.reached(); });
  const auto& its = *of.auction;
  auto& made = open_[its.id];
  made = {of.time, {its.expires, its.id, its.seller, its.category, 0}};
  for (const auto& one : early_)
    if (one.auction == its.id) made.note(one.time, one.price);
  ends_.push({its.expires, its.id});
  return true;
}

bool winning_bids::note(const event& of) {
  if (of.time < bids_.reached()) return false;
  bids_.come_to(of.time);
  if (const auto found = open_.find(of.bid.auction); found != open_.end()) {
    found->second.note(of.time, of.bid.price);
  } else if (of.time >= auctions_.reached()) {
    early_.push_back({of.time, of.bid.auction, of.bid.price});
  }
  return true;
}

}  // namespace apps::nexmark
