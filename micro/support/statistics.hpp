// Medians and how far they can be trusted.
#pragma once

#include <vector>

namespace micro {

/// A median with its 95 % interval.
struct estimate {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// The middle of the samples (the mean of the two middle ones when their number is even); NaN without
/// samples.
double median_of(std::vector<double> samples);

/// The value below which `share` (0 to 1) of the samples lie, by the nearest rank; NaN without samples.
double quantile_of(std::vector<double> samples, double share);

/// The median and the 95 % interval of the median, by the percentile bootstrap: samples are drawn again with
/// replacement, a fixed seed makes the same samples give the same interval. Assumes nothing of their
/// distribution.
estimate estimate_median(const std::vector<double>& samples);

}  // namespace micro
