#include "spb/api.hpp"

#include <thalweg/observe/resources.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "spb/detail/failure.hpp"
#include "spb/detail/feed.hpp"
#include "spb/detail/measurement.hpp"
#include "spb/detail/recorder.hpp"

// What may be asked and told while a stream runs. What begins and ends it is in session.cpp.

namespace spb {

double Metrics::getInstantThroughput(double seconds) {
  return detail::measurement::throughput_of_last(seconds);
}
double Metrics::getAverageThroughput() {
  return detail::measurement::throughput();
}
double Metrics::getInstantLatency(double seconds) {
  return detail::measurement::latency_ms_of_last(seconds);
}
double Metrics::getAverageLatency() {
  return detail::measurement::latency_ms();
}
bool Metrics::latency_is_enabled() {
  return detail::latency_wanted;
}
double Metrics::getCPUUsage() {
  return 100 * detail::measurement::cores();
}
double Metrics::getMemoryUsage() {
  return static_cast<double>(thalweg::observe::process_resources().resident_bytes) * 1e-6;
}

void SPBench::setFrequency(double elements_per_second) {
  detail::or_end([&] {
    if (elements_per_second == 0)
      detail::common_feed().clear_frequency();
    else
      detail::common_feed().set_frequency(detail::make_constant(elements_per_second));
  });
}
double SPBench::getFrequency() {
  return detail::common_feed().frequency();
}
int SPBench::getBatchSize() {
  return static_cast<int>(detail::common_feed().batch_size());
}
double SPBench::getBatchInterval() {
  return static_cast<double>(detail::common_feed().interval_ns()) * 1e-9;
}
void SPBench::setFrequencyPattern(const std::string& pattern, double period, double least, double greatest,
                                  double spike) {
  detail::or_end([&] {
    detail::common_feed().set_frequency(detail::make_pattern(pattern, period, least, greatest, spike));
  });
}
void SPBench::setBatchSize(int elements) {
  detail::or_end([&] {
    if (elements < 0)
      throw std::invalid_argument("a batch cannot have " + std::to_string(elements) + " elements");
    detail::common_feed().set_batch_size(static_cast<std::uint64_t>(elements));
  });
}
void SPBench::setBatchBytes(long bytes) {
  detail::or_end([&] {
    if (bytes < 0) throw std::invalid_argument("a batch cannot have " + std::to_string(bytes) + " bytes");
    detail::common_feed().set_batch_bytes(static_cast<std::uint64_t>(bytes));
  });
}
void SPBench::setBatchInterval(double seconds) {
  detail::or_end([&] { detail::common_feed().set_batch_interval(seconds); });
}

}  // namespace spb
