#pragma once

#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <variant>

#include "bench/support/nexmark_events.hpp"
#include "spb/nexmark.hpp"

// The auctions that are over, with what they went for: what queries 4 and 6 of Nexmark have in common.

struct opened_auction {
  std::uint64_t id = 0;
  std::uint64_t seller = 0;
  std::uint64_t category = 0;
  std::chrono::milliseconds time{0}, expires{0};
  std::int64_t since = 0;
};

/// An auction with one of its bids, and at its end with the highest.
struct closed_auction {
  std::uint64_t id = 0;
  std::uint64_t seller = 0;
  std::uint64_t category = 0;
  std::uint64_t price = 0;  // 0: the bid came when the auction was over
  std::chrono::milliseconds expires{0};
  std::int64_t since = 0;
};

using auction_or_bid = std::variant<opened_auction, made_bid>;

inline void auctions_and_bids(const spb::Item& item, thalweg::emitter<auction_or_bid>& out) {
  using apps::nexmark::kind;
  const auto& of = item.event();
  if (of.what == kind::bid) out(bid_of(item));
  if (of.what == kind::auction)
    out(opened_auction{of.auction->id, of.auction->seller, of.auction->category, of.time, of.auction->expires,
                       item.timestamp});
}

struct by_kind : thalweg::stage {
  thalweg::in<auction_or_bid> all{this, "all"};
  thalweg::out<opened_auction> auctions{this, "auctions"};
  thalweg::out<made_bid> bids{this, "bids"};

  void on_item(thalweg::in<auction_or_bid>& /*port*/, auction_or_bid one) {
    if (auto* const bid = std::get_if<made_bid>(&one)) {
      bids.send(*bid);
    } else {
      auctions.send(std::get<opened_auction>(one));
    }
  }
};

inline closed_auction with_bid(const opened_auction& of, const made_bid& bid) {
  return {of.id,       of.seller,
          of.category, bid.time <= of.expires ? bid.price : 0,
          of.expires,  std::max(of.since, bid.since)};
}

inline closed_auction higher(closed_auction a, const closed_auction& b) {
  a.price = std::max(a.price, b.price);
  a.since = std::max(a.since, b.since);
  return a;
}

/// Adds to a graph all that comes before the auctions that are over, and connects it to `to`, which takes
/// them in the order of their ends.
template <class To> void connect_closed_auctions(thalweg::graph& g, To& to) {
  namespace tw = thalweg;
  using namespace std::chrono_literals;
  using keyed = tw::keyed<std::uint64_t, tw::windowed<closed_auction>>;
  const auto longest = spb::longest_auction();
  const auto events = g.add(tw::source(next_events) | made_events(auctions_and_bids));
  auto& kinds = g.add<by_kind>();
  auto& join = g.add<tw::interval_join<opened_auction, made_bid, closed_auction>>(
      &opened_auction::id, &made_bid::auction, &opened_auction::time, &made_bid::time, 0ms, longest, with_bid,
      tw::interval_join_options{.disorder = spb::disorder()});
  // All bids of an auction are of one time, its end. Those that the join has given before one of them ended
  // later by no more than an auction may last.
  const auto ends = tw::event_time(&closed_auction::expires, {.disorder = spb::disorder() + longest});
  const auto highest = tw::aggregate([](const closed_auction& one) { return one; }, higher);
  const auto closed = g.add(tw::filter([](const closed_auction& one) { return one.price > 0; }) |
                            tw::key_by(&closed_auction::id) | tw::window(tw::tumbling(1ms), highest, ends) |
                            tw::map([](const keyed& of) { return of.value.value; }));
  g.connect(events.out, kinds.all);
  g.connect(kinds.auctions, join.left);
  g.connect(kinds.bids, join.right);
  g.connect(join.out, closed.in);
  g.connect(closed.out, to.in);
}
