#pragma once

#include "apps/nexmark/event.hpp"

namespace apps::nexmark_q2 {

/// Query 2: gives auction and price of the bids for every 123rd auction. False for others.
inline bool select(nexmark::event& of) {
  if (of.what != nexmark::kind::bid || of.bid.auction % 123 != 0) return false;
  of.bid.bidder = 0;
  of.bid.extra.clear();
  return true;
}

}  // namespace apps::nexmark_q2
