#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <numeric>
#include <span>
#include <vector>

#include <nexmark_q6.hpp>

#include "bench/support/closed_auctions.hpp"
#include "bench/support/policy_asked.hpp"

namespace tw = thalweg;
using apps::nexmark::seller_price;
using namespace std::chrono_literals;

using auctions = std::vector<closed_auction>;

// Those of a seller that close in the same millisecond.
auctions by_id(std::span<const closed_auction> some) {
  auctions sorted(some.begin(), some.end());
  std::ranges::sort(sorted, {}, &closed_auction::id);
  return sorted;
}

void one_by_one(const tw::keyed<std::uint64_t, tw::windowed<auctions>>& of,
                tw::emitter<closed_auction>& out) {
  for (const auto& one : of.value.value) out(one);
}

spb::Result mean_of_last(std::deque<std::uint64_t>& prices, const closed_auction& one) {
  prices.push_back(one.price);
  if (prices.size() > 10) prices.pop_front();
  const auto sum = std::accumulate(prices.begin(), prices.end(), std::uint64_t{0});
  return {seller_price{one.seller, one.id, sum / prices.size()}, one.since};
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  const auto policy = policy_asked();
  spb::Metrics::init();
  tw::graph g;
  const auto means = g.add(tw::key_by(&closed_auction::seller) |
                           tw::window(tw::tumbling(1ms), by_id, tw::event_time(&closed_auction::expires)) |
                           tw::flat_map(one_by_one) | tw::key_by(&closed_auction::seller, mean_of_last) |
                           tw::sink(write_result));
  connect_closed_auctions(g, means);
  tw::run(g, policy);
  spb::Metrics::stop();
  spb::end_bench();
}
