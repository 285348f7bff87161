/// How a written program names the type of a variable, and whether it can declare it anew.
#pragma once

#include "places.hpp"

namespace thalweg::spar {

/// Sets what a variable's declaration says of it, for the stream that this text is.
void describe(variable& v, extent stream, const places& where);

}  // namespace thalweg::spar
