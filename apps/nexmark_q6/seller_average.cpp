#include "apps/nexmark_q6/seller_average.hpp"

#include <numeric>

#include "apps/nexmark/results.hpp"

namespace apps::nexmark_q6 {

std::uint64_t last_prices::mean_with(std::uint64_t price) {
  prices_.push_back(price);
  if (prices_.size() > 10) prices_.pop_front();
  return std::accumulate(prices_.begin(), prices_.end(), std::uint64_t{0}) / prices_.size();
}

void seller_average::take(const nexmark::event& of, std::vector<std::string>& results) {
  winning_.take(of, [&](const nexmark::closed_auction& one) { add(one, results); });
}

void seller_average::end(std::vector<std::string>& results) {
  winning_.end([&](const nexmark::closed_auction& one) { add(one, results); });
}

void seller_average::add(const nexmark::closed_auction& one, std::vector<std::string>& results) {
  const auto mean = sellers_[one.seller].mean_with(one.price);
  results.push_back(line_of(nexmark::seller_price{one.seller, one.id, mean}));
}

}  // namespace apps::nexmark_q6
