#pragma once

#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

#include "bench/support/nexmark_events.hpp"
#include "bench/support/policy_asked.hpp"
#include "spb/nexmark.hpp"

// Nexmark's query 5 with thalweg.

/// The bids of an auction in the window that begins at this time.
struct candidate {
  std::uint64_t auction = 0;
  std::uint64_t bids = 0;
  std::chrono::milliseconds time{0};
  std::int64_t since = 0;
};

inline candidate candidate_of(const thalweg::keyed<std::uint64_t, thalweg::windowed<tally>>& of) {
  return {of.key, of.value.value.count, in_ms(of.value.begin), of.value.value.since};
}

inline void hottest(const thalweg::windowed<greatest<candidate>>& of, thalweg::emitter<spb::Result>& out) {
  of.value.for_each([&](const candidate& one) {
    out({apps::nexmark::hot_item{one.time, one.auction, one.bids}, of.value.since});
  });
}

/// The windows of an auction's bids.
inline auto bids_of_auction() {
  using namespace std::chrono_literals;
  return thalweg::window(thalweg::sliding(10s, 2s), tally_of<made_bid>(), event_times<made_bid>());
}

/// The query. `counts`: `bids_of_auction()`, or a farm of it.
template <class Counts> void hot_items(Counts counts) {
  namespace tw = thalweg;
  using namespace std::chrono_literals;
  // Windows give their results in the order of their ends, so those that began together follow each other.
  tw::run(tw::source(next_events) | made_events(bids) | tw::key_by(&made_bid::auction) | std::move(counts) |
              tw::map(candidate_of) |
              tw::window(tw::tumbling(2s), greatest_by<candidate>(&candidate::bids),
                         tw::event_time(&candidate::time)) |
              tw::flat_map(hottest) | tw::sink(write_result),
          policy_asked());
}
