/// What each part of a stream does with variables, and what follows from that: which of them travel in items.
#pragma once

#include "places.hpp"

namespace thalweg::spar {

/// Fills in what `find_streams` leaves open: `uses`, `before`, `after`, and how each variable is kept. Also of
/// nested streams.
void find_uses(stream& s, const places& where);

}  // namespace thalweg::spar
