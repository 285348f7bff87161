#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "apps/nexmark/query.hpp"
#include "apps/nexmark/tumbling.hpp"
#include "apps/nexmark/workload.hpp"

namespace apps::nexmark_q8 {

/// Query 8: who registers and opens an auction within the same 10 s.
class new_sellers final : public nexmark::query {
 public:
  explicit new_sellers(const nexmark::workload& of) : windows_(std::chrono::seconds(10), of.disorder) {}
  void take(const nexmark::event& of, std::vector<std::string>& results) override;
  void end(std::vector<std::string>& results) override;

 private:
  struct window {
    std::unordered_map<std::uint64_t, std::string> names;  // of those who registered
    std::unordered_set<std::uint64_t> sellers;
  };
  nexmark::tumbling<window> windows_;
};

}  // namespace apps::nexmark_q8
