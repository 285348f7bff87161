#pragma once

#include <deque>

#include <fraud_detection.hpp>

#include "bench/support/several_sources.hpp"

/// Several sources of transactions, each with a part of the cards, whose order it keeps.
inline std::deque<spb::Source> card_sources() {
  spb::Source::setReplicas(number_of_sources());
  return several_sources<spb::Source>(256);
}
