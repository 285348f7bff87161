#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "apps/nexmark/query.hpp"
#include "apps/nexmark/results.hpp"
#include "apps/nexmark/tumbling.hpp"
#include "apps/nexmark/workload.hpp"

namespace apps::nexmark_q7 {

/// Query 7: the bids with the highest price of each 10 s.
class highest_bids final : public nexmark::query {
 public:
  explicit highest_bids(const nexmark::workload& of) : windows_(std::chrono::seconds(10), of.disorder) {}
  void take(const nexmark::event& of, std::vector<std::string>& results) override;
  void end(std::vector<std::string>& results) override;

 private:
  nexmark::tumbling<std::vector<nexmark::highest_bid>> windows_;
};

}  // namespace apps::nexmark_q7
