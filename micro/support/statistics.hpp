// What a measurement itself needs of many values. What is shown of samples, with its interval, `./thalweg
// micro` computes.
#pragma once

#include <vector>

namespace micro {

/// The middle of the samples (the mean of the two middle ones when their number is even); NaN without
/// samples.
double median_of(std::vector<double> samples);

/// The value below which `share` (0 to 1) of the samples lie, by the nearest rank; NaN without samples.
double quantile_of(std::vector<double> samples, double share);

}  // namespace micro
