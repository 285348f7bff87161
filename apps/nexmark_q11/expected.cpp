#include <algorithm>
#include <chrono>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "apps/nexmark/results.hpp"
#include "apps/nexmark_q11/nexmark_q11.hpp"

namespace apps::nexmark_q11 {
namespace {

constexpr std::int64_t gap = 10'000;

struct session {
  std::int64_t begin = 0;
  std::int64_t last = 0;
  std::uint64_t bids = 0;
};

/// A bid is a session of its own, and becomes one with all that it touches and that are not over.
void add(std::vector<session>& all, std::int64_t time, std::int64_t reached) {
  session made{time, time, 1};
  const auto is_touched = [&](const session& one) {
    return one.last + gap > reached && one.begin - time < gap && time - one.last < gap;
  };
  for (const auto& one : all) {
    if (!is_touched(one)) continue;
    made = {std::min(made.begin, one.begin), std::max(made.last, one.last), made.bids + one.bids};
  }
  if (made.last + gap <= reached) return;
  std::erase_if(all, is_touched);
  all.push_back(made);
}

}  // namespace

std::string expected(const nexmark::generator& house) {
  std::unordered_map<std::uint64_t, std::vector<session>> bidders;  // all sessions of each
  std::int64_t reached = 0;
  for (std::uint64_t number = 0; number < house.of().events; ++number) {
    const auto one = house.event_at(number);
    if (one.what != nexmark::kind::bid) continue;
    reached = std::max(reached, one.time.count() - house.of().disorder.count());
    add(bidders[one.bid.bidder], one.time.count(), reached);
  }
  std::string lines;
  for (const auto& [bidder, sessions] : bidders) {
    for (const auto& [begin, last, bids] : sessions) {
      using std::chrono::milliseconds;
      lines.append(
          line_of(nexmark::user_session{bidder, bids, milliseconds(begin), milliseconds(last + gap)}));
    }
  }
  return lines;
}

}  // namespace apps::nexmark_q11
