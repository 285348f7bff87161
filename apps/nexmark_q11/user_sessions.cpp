#include "apps/nexmark_q11/user_sessions.hpp"

#include <algorithm>
#include <iterator>

#include "apps/nexmark/results.hpp"

namespace apps::nexmark_q11 {
namespace {

constexpr std::chrono::milliseconds gap = std::chrono::seconds(10);

}  // namespace

void user_sessions::take(const nexmark::event& of, std::vector<std::string>& results) {
  if (of.what != nexmark::kind::bid) return;
  time_.come_to(of.time);
  give_until(time_.reached(), results);
  const auto its = bidders_.try_emplace(of.bid.bidder).first;
  add(its->second, of.time, of.bid.bidder);
  if (its->second.empty()) bidders_.erase(its);
}

void user_sessions::end(std::vector<std::string>& results) {
  give_until(milliseconds::max(), results);
}

// A bid is late if it is in no session that goes on, and one of its own would be over.
void user_sessions::add(sessions& of, milliseconds time, std::uint64_t bidder) {
  const auto first = std::ranges::find_if(of, [&](const session& s) { return s.last + gap > time; });
  if (first == of.end() || first->begin - gap >= time) {
    if (time + gap <= time_.reached()) return;
    of.insert(first, {time, time, 1});
    timers_.emplace(time + gap, bidder);
    return;
  }
  first->begin = std::min(first->begin, time);
  first->last = std::max(first->last, time);
  ++first->bids;
  if (const auto next = std::next(first); next != of.end() && next->begin - first->last < gap) {
    first->last = next->last;
    first->bids += next->bids;
    of.erase(next);
  }
}

void user_sessions::give_until(milliseconds reached, std::vector<std::string>& results) {
  while (!timers_.empty() && timers_.top().first <= reached) {
    const auto bidder = timers_.top().second;
    timers_.pop();
    const auto its = bidders_.find(bidder);
    if (its == bidders_.end()) continue;
    auto& of = its->second;
    while (!of.empty() && of.front().last + gap <= reached) {
      const auto& [begin, last, bids] = of.front();
      results.push_back(line_of(nexmark::user_session{bidder, bids, begin, last + gap}));
      of.erase(of.begin());
    }
    if (of.empty()) {
      bidders_.erase(its);
    } else {
      timers_.emplace(of.front().last + gap, bidder);
    }
  }
}

}  // namespace apps::nexmark_q11
