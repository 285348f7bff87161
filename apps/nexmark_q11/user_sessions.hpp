#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apps/nexmark/query.hpp"
#include "apps/nexmark/watermark.hpp"
#include "apps/nexmark/workload.hpp"

namespace apps::nexmark_q11 {

/// Query 11: how many bids a bidder has made before 10 s went by without one.
class user_sessions final : public nexmark::query {
 public:
  explicit user_sessions(const nexmark::workload& of) : time_(of.disorder) {}
  void take(const nexmark::event& of, std::vector<std::string>& results) override;
  void end(std::vector<std::string>& results) override;

 private:
  using milliseconds = std::chrono::milliseconds;

  struct session {
    milliseconds begin{0}, last{0};
    std::uint64_t bids = 0;
  };
  using sessions = std::vector<session>;  // of a bidder, by their times
  using timer = std::pair<milliseconds, std::uint64_t>;

  void add(sessions& of, milliseconds time, std::uint64_t bidder);
  void give_until(milliseconds reached, std::vector<std::string>& results);

  nexmark::watermark time_;
  std::unordered_map<std::uint64_t, sessions> bidders_;
  // When to look at a bidder: not behind the end of any of his sessions.
  std::priority_queue<timer, std::vector<timer>, std::greater<>> timers_;
};

}  // namespace apps::nexmark_q11
