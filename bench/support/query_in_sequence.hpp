#pragma once

#include "spb/nexmark.hpp"

/// A query of Nexmark as plain code: one event after the other.
inline void query_in_sequence() {
  spb::Query query;
  for (spb::Item item; spb::Source::op(item);) {
    spb::Generate::op(item);
    for (auto& result : query.op(item)) spb::Sink::op(result);
  }
  for (auto& result : query.end()) spb::Sink::op(result);
}
