#pragma once

#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bench/support/chunk.hpp"
#include "spb/nexmark.hpp"

// What programs with thalweg for the queries of Nexmark share: events, and aggregates of windows. What
// `since` says goes with all that is made of an event, so that results know how old the newest one is.

/// Events that are handed over together: a single one costs little more to make than to hand over.
using event_chunk = chunk<spb::Item>;

inline std::optional<event_chunk> next_events() {
  return event_chunk::next<spb::Source>();
}

/// Makes events in a farm, and sends on what `pick(item, out)` takes of each.
template <class Out> auto made_events(void (*pick)(const spb::Item&, thalweg::emitter<Out>&)) {
  return thalweg::farm(thalweg::flat_map([pick](event_chunk some, thalweg::emitter<Out>& out) {
    for (auto& item : some) {
      spb::Generate::op(item);
      pick(item, out);
    }
  }));
}

/// What queries need of a bid.
struct made_bid {
  std::uint64_t auction = 0;
  std::uint64_t bidder = 0;
  std::uint64_t price = 0;
  std::chrono::milliseconds time{0};
  std::int64_t since = 0;
};

inline made_bid bid_of(const spb::Item& item) {
  const auto& of = item.event();
  return {of.bid.auction, of.bid.bidder, of.bid.price, of.time, item.timestamp};
}

/// For `made_events`.
inline void bids(const spb::Item& item, thalweg::emitter<made_bid>& out) {
  if (item.event().what == apps::nexmark::kind::bid) out(bid_of(item));
}

/// Event time, as late as the input says. `Of`: what has a `time`.
template <class Of> auto event_times() {
  return thalweg::event_time(&Of::time, {.disorder = spb::disorder()});
}

inline std::chrono::milliseconds in_ms(std::int64_t ns) {
  return std::chrono::milliseconds(ns / 1'000'000);
}

/// How many there are, for windows.
struct tally {
  std::uint64_t count = 0;
  std::int64_t since = 0;
};
template <class Of> auto tally_of() {
  return thalweg::aggregate(
      [](const Of& one) {
        return tally{1, one.since};
      },
      [](const tally& a, const tally& b) {
        return tally{a.count + b.count, std::max(a.since, b.since)};
      });
}

/// The greatest of all, for windows: several if they are alike.
template <class Of> struct greatest {
  Of first;
  std::vector<Of> others;
  std::int64_t since = 0;  // of all there were

  template <class F> void for_each(F f) const {
    f(first);
    for (const auto& one : others) f(one);
  }
};
template <class Of, class By> auto greatest_by(By by) {
  return thalweg::aggregate(
      [](const Of& one) {
        return greatest<Of>{one, {}, one.since};
      },
      [by](greatest<Of> a, const greatest<Of>& b) {
        const auto since = std::max(a.since, b.since);
        if (std::invoke(by, a.first) < std::invoke(by, b.first)) {
          a = b;
        } else if (!(std::invoke(by, b.first) < std::invoke(by, a.first))) {
          a.others.push_back(b.first);
          a.others.insert(a.others.end(), b.others.begin(), b.others.end());
        }
        a.since = since;
        return a;
      });
}

inline void write_result(spb::Result result) {
  spb::Sink::op(result);
}
