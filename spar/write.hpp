/// From a stream to the text of a program over Thalweg.
#pragma once

#include "options.hpp"
#include "places.hpp"

#include <string>
#include <vector>

namespace thalweg::spar {

/// The program of the main file, with its streams written over <thalweg/spar.hpp>.
[[nodiscard]] std::string write(const std::vector<stream>& streams, const places& where, const options& told);

}  // namespace thalweg::spar
