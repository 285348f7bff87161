#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "apps/nexmark/query.hpp"
#include "apps/nexmark/winning_bids.hpp"
#include "apps/nexmark/workload.hpp"

namespace apps::nexmark_q4 {

/// Query 4: every 5 s the mean price, by category, of the auctions that closed in the last 10 s.
class average_price final : public nexmark::query {
 public:
  explicit average_price(const nexmark::workload& of) : winning_(of.disorder) {}
  void take(const nexmark::event& of, std::vector<std::string>& results) override;
  void end(std::vector<std::string>& results) override;

 private:
  struct mean {
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
  };
  using by_category = std::map<std::uint64_t, mean>;

  void add(const nexmark::closed_auction& one, std::vector<std::string>& results);
  void give_until(std::chrono::milliseconds reached, std::vector<std::string>& results);

  nexmark::winning_bids winning_;
  std::map<std::chrono::milliseconds, by_category> windows_;  // by when they begin
};

}  // namespace apps::nexmark_q4
