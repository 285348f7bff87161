#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "apps/nexmark/query.hpp"
#include "apps/nexmark/watermark.hpp"
#include "apps/nexmark/workload.hpp"

namespace apps::nexmark_q5 {

/// Query 5: every 2 s the auctions with the most bids of the last 10 s. Bids are counted once, for the 2 s in
/// which they were made, and windows are added up from these slices.
class hot_items final : public nexmark::query {
 public:
  explicit hot_items(const nexmark::workload& of) : time_(of.disorder) {}
  void take(const nexmark::event& of, std::vector<std::string>& results) override;
  void end(std::vector<std::string>& results) override;

 private:
  using counts = std::unordered_map<std::uint64_t, std::uint64_t>;

  void give_until(std::chrono::milliseconds reached, std::vector<std::string>& results);
  void give(std::chrono::milliseconds begin, std::vector<std::string>& results) const;

  nexmark::watermark time_;
  std::map<std::chrono::milliseconds, counts> slices_;
  std::chrono::milliseconds next_{0};  // no window that begins before it is given any more
};

}  // namespace apps::nexmark_q5
