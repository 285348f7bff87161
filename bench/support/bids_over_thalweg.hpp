#pragma once

#include <thalweg/thalweg.hpp>

#include "bench/support/nexmark_events.hpp"
#include "bench/support/policy_asked.hpp"
#include "spb/nexmark.hpp"

/// A query of Nexmark that gives bids, as a farm.
template <class Query> void bids_over_thalweg() {
  namespace tw = thalweg;
  const auto policy = policy_asked();
  const auto make = [](spb::Item item) {
    spb::Generate::op(item);
    Query::op(item);
    return item;
  };
  const auto write = [](spb::Item item) {
    if (item) spb::Sink::op(item);
  };
  tw::run(tw::source(next_event) | tw::farm(make, {.unordered = true}) | tw::sink(write), policy);
}
