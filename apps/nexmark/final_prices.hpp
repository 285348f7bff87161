#pragma once

#include <vector>

#include "apps/nexmark/generator.hpp"
#include "apps/nexmark/winning_bids.hpp"

namespace apps::nexmark {

/// What `winning_bids` has to find among the events of a house, by looking at all of them twice: first at
/// the auctions, then at the bids.
std::vector<closed_auction> final_prices(const generator& house);

}  // namespace apps::nexmark
