/// `rate`: how many items a second come, as a function of time.
#pragma once

#include <thalweg/version.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// Items a second as a function of the time since the beginning, without state: it gives the rate of any
/// moment, so that no phase drifts and no spike is missed however seldom it is asked. The patterns are those
/// of A. M. Garcia, Easing the Benchmarking of Parallel Stream Processing on Multi-cores, 2023, section
/// 6.4.2, and others.
///
/// All times are in seconds, all rates in items a second. Rates are values: cheap to copy, and safe to use
/// from any number of threads.
///
/// ```cpp
/// const auto day = tw::rate::wave({.period = 60, .min = 100, .max = 1'000});
/// assert(day.at(0) == 550 && day.at(15) == 1'000);
/// assert(day.items(60) > 32'999 && day.items(60) < 33'001);
/// ```
class rate {
 public:
  /// The parameters of patterns between two rates.
  struct swing {
    double period = 1;  ///< seconds
    double min = 0;
    double max = 0;
  };
  struct step {
    double seconds = 0;
    double rate = 0;
  };

  /// Always the same. \throws error  if it is not positive
  rate(double items_per_second);  // NOLINT(google-explicit-constructor): a number is a rate

  // All of these throw error, naming what is wrong: a period that is not positive, rates that are negative or
  // not finite, a maximum below the minimum, a pattern in which no item is ever due.

  /// A sine. It begins in the middle, rising.
  static rate wave(swing s);
  /// Half of each period `min`, the other half `max`.
  static rate binary(swing s);
  /// From `min` to `max` within one period; then it stays there.
  static rate increasing(swing s);
  /// From `max` to `min` within one period; then it stays there.
  static rate decreasing(swing s);
  /// `min`, except for the last `share` (above 0, up to 1) of each period, in which it rises to `max`.
  static rate spike(swing s, double share = 0.1);
  /// One after the other, again and again.
  static rate steps(const std::vector<step>& all);
  /// `items_per_second` for `on` seconds, nothing for `off` seconds, again and again.
  static rate bursts(double on, double off, double items_per_second);
  /// From a file. Lines of `seconds, rate`: from that time on, until the next; the last one stays. Lines of
  /// `seconds`: one item at each of these times, and then no more. Times rise; lines that begin with # are
  /// ignored. \throws error  that names the file, the line and what is wrong
  static rate trace(const std::string& file);

  /// The same rate, but items come at random (a Poisson process with this rate, by the time-rescaling
  /// theorem: Daley and Vere-Jones, An Introduction to the Theory of Point Processes, section 7.4). The same
  /// seed gives the same times.
  [[nodiscard]] rate poisson(std::uint64_t seed) const;

  /// Items a second at this moment.
  [[nodiscard]] double at(double seconds) const;
  /// How many items come until this moment: the integral.
  [[nodiscard]] double items(double seconds) const;
  /// When this many have come; infinite, if never. The first item of a stream, number 0, comes when the rate
  /// first is above 0.
  [[nodiscard]] double when(double items) const;
  /// Of the random process, if it is one.
  [[nodiscard]] std::optional<std::uint64_t> seed() const noexcept { return seed_; }

  /// A function of time and its integral.
  class curve;

 private:
  explicit rate(std::shared_ptr<const curve> c) : curve_(std::move(c)) {}

  std::shared_ptr<const curve> curve_;
  std::optional<std::uint64_t> seed_;
};

/// A rate from text, as `tw::settings` and benchmark programs take it. All times are in seconds:
///
/// | text | rate |
/// |---|---|
/// | `500` | always the same |
/// | `wave,10,100,1000` | period, minimum, maximum; also `binary`, `increasing`, `decreasing` |
/// | `spike,10,100,1000,5` | the same; the percentage of the period may be left out (10) |
/// | `bursts,1,4,1000` | time on, time off, rate |
/// | `steps,10,100,5,1000` | time, rate, time, rate, and so on |
/// | `trace,moments.csv` | `rate::trace` of this file, whose name may have commas |
///
/// With `,poisson` or `,poisson=<seed>` behind it items come at random; without a seed it is 1. \throws error
/// that says what is wrong with the text, or what the functions of `rate` throw
///
/// ```cpp
/// const auto day = tw::rate_from("wave,60,100,1000");
/// assert(day.at(15) == tw::rate::wave({.period = 60, .min = 100, .max = 1'000}).at(15));
/// assert(tw::rate_from("500,poisson=7").seed() == 7);
/// ```
rate rate_from(std::string_view text);

}  // namespace THALWEG_NAMESPACE
