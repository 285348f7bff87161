/// Why something is changed, for people.
#pragma once

#include <thalweg/adapt/window.hpp>

#include <string>

#include "farm_size.hpp"
#include "stage_rates.hpp"

namespace THALWEG_NAMESPACE::adaptation {

std::string words_of_size(const stage_window& s, const farm_size& size, const stage_rates& r);
std::string words_of_taking_back(bool grew, double before, double predicted, double now);

}  // namespace THALWEG_NAMESPACE::adaptation
