#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "apps/nexmark/event.hpp"
#include "apps/nexmark/watermark.hpp"

namespace apps::nexmark {

/// An auction that is over, and what it went for.
struct closed_auction {
  std::chrono::milliseconds expires{0};
  std::uint64_t id = 0;
  std::uint64_t seller = 0;
  std::uint64_t category = 0;
  std::uint64_t price = 0;

  /// The order in which auctions close.
  friend auto operator<=>(const closed_auction&, const closed_auction&) = default;
};

/// Finds the highest bid of each auction, of those made while it was open. Auctions and bids each have a
/// watermark, and what is behind that of its kind is left out. What closes is given by
/// `closed(closed_auction)`, in the order of `closed_auction`; auctions without bids are not.
class winning_bids {
 public:
  explicit winning_bids(std::chrono::milliseconds disorder) : auctions_(disorder), bids_(disorder) {}

  template <class Closed> void take(const event& of, Closed closed) {
    const bool moved = of.what == kind::auction ? open(of) : of.what == kind::bid && note(of);
    if (moved) close_until(std::min(auctions_.reached(), bids_.reached()), closed);
  }
  template <class Closed> void end(Closed closed) { close_until(std::chrono::milliseconds::max(), closed); }

 private:
  using milliseconds = std::chrono::milliseconds;

  struct open_auction {
    milliseconds opens{0};
    closed_auction later;  // without a bid its price is 0
    void note(milliseconds time, std::uint64_t price) {
      if (time >= opens && time <= later.expires) later.price = std::max(later.price, price);
    }
  };
  struct early_bid {
    milliseconds time{0};
    std::uint64_t auction = 0;
    std::uint64_t price = 0;
  };
  struct end_of {
    milliseconds time{0};
    std::uint64_t id = 0;
    friend auto operator<=>(const end_of&, const end_of&) = default;
  };

  bool open(const event& of);
  bool note(const event& of);
  template <class Closed> void close_until(milliseconds reached, Closed closed) {
    while (!ends_.empty() && ends_.top().time < reached) {
      const auto one = open_.find(ends_.top().id);
      ends_.pop();
      if (one->second.later.price > 0) closed(one->second.later);
      open_.erase(one);
    }
  }

  watermark auctions_, bids_;
  std::unordered_map<std::uint64_t, open_auction> open_;
  std::priority_queue<end_of, std::vector<end_of>, std::greater<>> ends_;
  std::deque<early_bid> early_;  // whose auctions may come
};

}  // namespace apps::nexmark
