#pragma once

#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

#include "bench/support/nexmark_events.hpp"
#include "bench/support/policy_asked.hpp"
#include "spb/nexmark.hpp"

// Nexmark's query 11 with thalweg.

inline spb::Result session_of(const thalweg::keyed<std::uint64_t, thalweg::windowed<tally>>& of) {
  const auto& [count, since] = of.value.value;
  return {apps::nexmark::user_session{of.key, count, in_ms(of.value.begin), in_ms(of.value.end)}, since};
}

/// The sessions of a bidder.
inline auto sessions_of_bidder() {
  using namespace std::chrono_literals;
  return thalweg::window(thalweg::session(10s), tally_of<made_bid>(), event_times<made_bid>());
}

/// The query. `sessions`: `sessions_of_bidder()`, or a farm of it.
template <class Sessions> void user_sessions(Sessions sessions) {
  namespace tw = thalweg;
  tw::run(tw::source(next_events) | made_events(bids) | tw::key_by(&made_bid::bidder) | std::move(sessions) |
              tw::map(session_of) | tw::sink(write_result),
          policy_asked());
}
