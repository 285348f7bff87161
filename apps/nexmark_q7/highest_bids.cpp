#include "apps/nexmark_q7/highest_bids.hpp"

namespace apps::nexmark_q7 {
namespace {

auto giving(std::vector<std::string>& results) {
  return [&results](std::chrono::milliseconds begin, const std::vector<nexmark::highest_bid>& highest) {
    for (auto one : highest) {
      one.begin = begin;
      results.push_back(line_of(one));
    }
  };
}

}  // namespace

void highest_bids::take(const nexmark::event& of, std::vector<std::string>& results) {
  if (of.what != nexmark::kind::bid) return;
  auto* const highest = windows_.at(of.time, giving(results));
  if (highest == nullptr) return;
  if (!highest->empty() && highest->front().price > of.bid.price) return;
  if (!highest->empty() && highest->front().price < of.bid.price) highest->clear();
  highest->push_back({{}, of.bid.auction, of.bid.bidder, of.bid.price, of.time});
}

void highest_bids::end(std::vector<std::string>& results) {
  windows_.end(giving(results));
}

}  // namespace apps::nexmark_q7
