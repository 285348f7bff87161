#include <thalweg/adapt/adapt.hpp>

#include <stdexcept>

namespace THALWEG_NAMESPACE {

adaptation::goal throughput() noexcept {
  return {.what = adaptation::goal::kind::throughput};
}

adaptation::goal keep_up() noexcept {
  return {.what = adaptation::goal::kind::keep_up};
}

adaptation::goal latency(double quantile, std::chrono::nanoseconds limit) {
  if (!(quantile > 0 && quantile < 1))
    throw std::invalid_argument("tw::latency: the quantile must be above 0 and below 1, such as 0.99");
  if (limit.count() <= 0) throw std::invalid_argument("tw::latency: the limit must be above 0");
  return {.what = adaptation::goal::kind::latency, .quantile = quantile, .limit = limit};
}

adaptation::goal utilisation(double share) {
  if (!(share > 0 && share <= 1))
    throw std::invalid_argument("tw::utilisation: the share must be above 0, and 1 at most");
  return {.what = adaptation::goal::kind::utilisation, .share = share};
}

}  // namespace THALWEG_NAMESPACE
