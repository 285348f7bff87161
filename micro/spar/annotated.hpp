// The farm of benchmark `grain` as a loop with SPar's attributes, made into a stream by thalweg-spar.
#pragma once

#include "../peers/peer.hpp"

namespace micro {

/// What the attributes become.
contender annotated_farm(const even_farm& program);

}  // namespace micro
