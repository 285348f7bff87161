#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "apps/nexmark/query.hpp"
#include "apps/nexmark/winning_bids.hpp"
#include "apps/nexmark/workload.hpp"

namespace apps::nexmark_q6 {

/// What the last auctions of a seller went for.
class last_prices {
 public:
  /// The mean, with one more price, of the last ten.
  std::uint64_t mean_with(std::uint64_t price);

 private:
  std::deque<std::uint64_t> prices_;
};

/// Query 6: when an auction closes, the mean price of the last ten of its seller.
class seller_average final : public nexmark::query {
 public:
  explicit seller_average(const nexmark::workload& of) : winning_(of.disorder) {}
  void take(const nexmark::event& of, std::vector<std::string>& results) override;
  void end(std::vector<std::string>& results) override;

 private:
  void add(const nexmark::closed_auction& one, std::vector<std::string>& results);

  nexmark::winning_bids winning_;
  std::unordered_map<std::uint64_t, last_prices> sellers_;
};

}  // namespace apps::nexmark_q6
