#include "spb/detail/schedule.hpp"

#include <thalweg/flow/wait.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

namespace spb::detail {
namespace {

using shape = frequency_pattern::shape;

constexpr std::pair<std::string_view, shape> names[] = {{"wave", shape::wave},
                                                        {"binary", shape::binary},
                                                        {"increasing", shape::increasing},
                                                        {"decreasing", shape::decreasing},
                                                        {"spike", shape::spike}};

double number_in(std::string_view text) {
  double value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = wrong == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  if (!good) throw std::invalid_argument("'" + std::string(text) + "' is not a number");
  return value;
}

}  // namespace

double frequency_pattern::at(double seconds) const {
  const double range = high - low;
  const double phase = seconds / period - std::floor(seconds / period);
  switch (kind) {
    case shape::wave:
      return low + range / 2 * (1 + std::sin(2 * std::numbers::pi * phase));
    case shape::binary:
      return phase < 0.5 ? high : low;
    case shape::increasing:
      return std::min(high, low + range * seconds / period);
    case shape::decreasing:
      return std::max(low, high - range * seconds / period);
    case shape::spike:
      return low + range * std::max(0.0, (phase - 1) * 100 / spike + 1);
    case shape::constant:
      break;
  }
  return high;
}

frequency_pattern make_pattern(std::string_view name, double period, double low, double high, double spike) {
  const auto* const found = std::find_if(std::begin(names), std::end(names),
                                         [&](const auto& known) { return known.first == name; });
  if (found == std::end(names))
    throw std::invalid_argument("there is no frequency pattern '" + std::string(name) +
                                "': wave, binary, increasing, decreasing, spike");
  if (!(period > 0)) throw std::invalid_argument("the period of a frequency pattern must be above 0 seconds");
  if (!(low > 0)) throw std::invalid_argument("the least frequency of a pattern must be above 0");
  if (!(high >= low))
    throw std::invalid_argument("the greatest frequency of a pattern may not be below the least");
  const bool spike_fits = spike > 0 && spike <= 100;
  if (!spike_fits)
    throw std::invalid_argument("a spike takes a part of the period: above 0 and up to 100 percent");
  return {found->second, period, low, high, spike};
}

frequency_pattern make_constant(double frequency) {
  if (!(frequency > 0)) throw std::invalid_argument("a frequency must be above 0 items per second");
  return {.kind = shape::constant, .low = frequency, .high = frequency};
}

frequency_pattern parse_pattern(const std::string& text) {
  std::vector<std::string_view> parts;
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    parts.push_back(rest.substr(0, comma));
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  const bool spike = parts[0] == "spike";
  const bool whole = parts.size() == 4 || (spike && parts.size() == 5);
  if (!whole)
    throw std::invalid_argument("'" + text +
                                "' is not pattern,period,least,greatest (for spike, percent may follow)");
  return make_pattern(parts[0], number_in(parts[1]), number_in(parts[2]), number_in(parts[3]),
                      parts.size() == 5 ? number_in(parts[4]) : 10);
}

void schedule::follow(const frequency_pattern& pattern) {
  const std::lock_guard alone(lock_);
  pattern_ = pattern;
  began_.reset();
  elapsed_ = 0;
}

frequency_pattern schedule::pattern() const {
  const std::lock_guard alone(lock_);
  return pattern_;
}

std::int64_t schedule::due() {
  const std::lock_guard alone(lock_);
  if (!began_) began_ = thalweg::observe::now_ns();
  return *began_ + static_cast<std::int64_t>(elapsed_ * 1e9);
}

bool schedule::dense() {
  const std::lock_guard alone(lock_);
  return pattern_.at(elapsed_) * thalweg::flow::dense_ns > 1e9;
}

void schedule::advance() {
  const std::lock_guard alone(lock_);
  // Through a change of frequency it goes in small steps, through all else in one.
  constexpr double steps_of_period = 500;
  for (double missing = 1; missing > 0;) {
    const double frequency = pattern_.at(elapsed_);
    const double whole = missing / frequency;
    const double step = pattern_.kind == frequency_pattern::shape::constant
                            ? whole
                            : std::min(whole, pattern_.period / steps_of_period);
    missing = step < whole ? missing - step * frequency : 0;
    elapsed_ += step;
  }
}

}  // namespace spb::detail
