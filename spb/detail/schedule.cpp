#include "spb/detail/schedule.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace spb::detail {
namespace {

using swing = rate::swing;

constexpr std::pair<std::string_view, rate (*)(swing)> swings[] = {{"wave", rate::wave},
                                                                   {"binary", rate::binary},
                                                                   {"increasing", rate::increasing},
                                                                   {"decreasing", rate::decreasing}};

double number_in(std::string_view text) {
  double value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = wrong == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  if (!good) throw std::invalid_argument("'" + std::string(text) + "' is not a number");
  return value;
}

// Calls `f`; what it says of a rate is what is wrong with an argument.
template <class F> rate made(F&& f) {
  try {
    return f();
  } catch (const thalweg::error& e) {
    throw std::invalid_argument(e.what());
  }
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == text.npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

// `poisson` or `poisson=<seed>`, which is taken off.
std::optional<std::uint64_t> seed_of(std::vector<std::string_view>& parts) {
  auto last = parts.back();
  if (parts.size() < 2 || !last.starts_with("poisson")) return std::nullopt;
  parts.pop_back();
  last.remove_prefix(std::string_view("poisson").size());
  if (last.empty()) return 1;
  std::uint64_t seed = 0;
  const auto [end, wrong] = std::from_chars(last.data() + 1, last.data() + last.size(), seed);
  if (last[0] != '=' || wrong != std::errc() || end != last.data() + last.size())
    throw std::invalid_argument("'poisson" + std::string(last) + "' is not poisson=<a whole number>");
  return seed;
}

std::vector<rate::step> steps_of(const std::vector<double>& numbers) {
  std::vector<rate::step> all;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) all.push_back({numbers[i], numbers[i + 1]});
  return all;
}

rate parse_parts(const std::string& text, const std::vector<std::string_view>& parts) {
  const auto name = parts[0];
  if (name == "trace") {
    if (parts.size() < 2) throw std::invalid_argument("'" + text + "' is not trace,<file>");
    const auto* const file = parts[1].data();  // whose name may have commas
    return rate::trace(std::string(file, parts.back().data() + parts.back().size()));
  }
  std::vector<double> numbers;
  for (std::size_t i = 1; i < parts.size(); ++i) numbers.push_back(number_in(parts[i]));
  if (name == "steps") {
    if (numbers.empty() || numbers.size() % 2 != 0)
      throw std::invalid_argument("'" + text + "' is not steps,seconds,frequency,...");
    return rate::steps(steps_of(numbers));
  }
  if (name == "bursts") {
    if (numbers.size() != 3)
      throw std::invalid_argument("'" + text + "' is not bursts,seconds on,seconds off,frequency");
    return rate::bursts(numbers[0], numbers[1], numbers[2]);
  }
  const bool whole = numbers.size() == 3 || (name == "spike" && numbers.size() == 4);
  if (!whole)
    throw std::invalid_argument("'" + text +
                                "' is not pattern,period,least,greatest (for spike, percent may follow)");
  return make_pattern(name, numbers[0], numbers[1], numbers[2], numbers.size() == 4 ? numbers[3] : 10);
}

}  // namespace

rate make_pattern(std::string_view name, double period, double low, double high, double spike) {
  return made([&] {
    // A source that is asked for nothing for long looks like one that hangs.
    if (!(low > 0)) throw std::invalid_argument("the least frequency of a pattern must be above 0");
    const swing between{period, low, high};
    if (name == "spike") return rate::spike(between, spike / 100);
    for (const auto& [known, make] : swings)
      if (known == name) return make(between);
    throw std::invalid_argument("there is no frequency pattern '" + std::string(name) +
                                "': wave, binary, increasing, decreasing, spike, steps, bursts, trace");
  });
}

rate make_constant(double frequency) {
  return made([&] { return rate(frequency); });
}

rate parse_pattern(const std::string& text) {
  return made([&] {
    auto parts = split(text);
    const auto seed = seed_of(parts);
    auto parsed = parse_parts(text, parts);
    return seed ? parsed.poisson(*seed) : parsed;
  });
}

void schedule::follow(const rate& pattern) {
  const std::lock_guard alone(lock_);
  arrivals_.emplace(pattern, late_);
  began_.reset();
}

void schedule::release() {
  const std::lock_guard alone(lock_);
  arrivals_.reset();
}

void schedule::set_late(when_late policy) {
  const std::lock_guard alone(lock_);
  late_ = policy;
}

when_late schedule::late() const {
  const std::lock_guard alone(lock_);
  return late_;
}

std::uint64_t schedule::passed_over() const {
  const std::lock_guard alone(lock_);
  return passed_;
}

double schedule::elapsed() const {
  return began_ ? static_cast<double>(thalweg::observe::now_ns() - *began_) * 1e-9 : 0;
}

std::optional<rate> schedule::pattern() const {
  const std::lock_guard alone(lock_);
  return arrivals_ ? std::optional(arrivals_->follows()) : std::nullopt;
}

double schedule::rate_now() {
  const std::lock_guard alone(lock_);
  return arrivals_ ? arrivals_->follows().at(elapsed()) : 0;
}

std::int64_t schedule::due() {
  const std::lock_guard alone(lock_);
  if (!began_) began_ = thalweg::observe::now_ns();
  if (arrivals_ && late_ == when_late::skip) passed_ += arrivals_->pass_over(elapsed());
  const auto next = arrivals_ ? arrivals_->next_ns() : 0;
  return next == never ? never : *began_ + next;
}

bool schedule::dense() {
  const std::lock_guard alone(lock_);
  return arrivals_ && arrivals_->dense();
}

void schedule::advance() {
  const std::lock_guard alone(lock_);
  if (arrivals_) arrivals_->advance(late_ == when_late::closed_loop ? elapsed() : arrivals_->next());
}

}  // namespace spb::detail
