#pragma once

#include <thalweg/thalweg.hpp>

#include "bench/support/nexmark_events.hpp"
#include "bench/support/policy_asked.hpp"
#include "spb/nexmark.hpp"

/// A query of Nexmark that gives bids, as a farm.
template <class Query> void bids_over_thalweg() {
  namespace tw = thalweg;
  const auto policy = policy_asked();
  const auto make = [](event_chunk some) {
    some.apply<spb::Generate>();
    some.apply<Query>();
    return some;
  };
  tw::run(tw::source(next_events) | tw::farm(make, {.unordered = true}) |
              tw::sink([](event_chunk some) { some.apply_to_rest<spb::Sink>(); }),
          policy);
}
