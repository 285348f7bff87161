#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace spb {

/// A number of the program's own that is measured along with all others: how many faces a frame has, how
/// good a compression is. Shown with `-throughput` or `-latency`, and always in the file of `-json`.
///
/// ```cpp
/// spb::Metric faces("faces", "of a frame");  // global: it must outlive the stream
/// ...
/// faces.note(3);  // by any thread, in an operator or anywhere
/// ```
///
/// `Metrics::init` sets all to 0. Names may stand for several objects, which are then shown one by one.
class Metric {
 public:
  explicit Metric(std::string name, std::string unit = {});
  Metric(const Metric&) = delete;
  Metric& operator=(const Metric&) = delete;
  ~Metric();

  /// Any thread; some tens of ns where several threads do this at once. What is no number is not counted.
  void note(double value) noexcept;

  /// What was noted up to now. Any thread; values that are noted meanwhile may be in some of these only.
  struct summary {
    std::string name, unit;
    std::uint64_t count = 0;
    double sum = 0, least = 0, greatest = 0;
    double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  };
  summary so_far() const;

  /// Those of all that exist, in the order in which they were made.
  static std::vector<summary> all();
  static void clear_all();

 private:
  void clear() noexcept;

  const std::string name_, unit_;
  std::atomic<std::uint64_t> count_{0};
  std::atomic<double> sum_{0};
  std::atomic<double> least_{std::numeric_limits<double>::infinity()};
  std::atomic<double> greatest_{-std::numeric_limits<double>::infinity()};
};

}  // namespace spb
