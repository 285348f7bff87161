#include "spb/detail/schedule.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/observe/clock.hpp>

#include <array>
#include <charconv>
#include <stdexcept>

namespace spb::detail {
namespace {

// Calls `f`; what it says of a rate is what is wrong with an argument.
template <class F> rate made(F&& f) {
  try {
    return f();
  } catch (const thalweg::error& e) {
    throw std::invalid_argument(e.what());
  }
}

// The shortest text that gives the same number back.
std::string written(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace

rate make_pattern(std::string_view name, double period, double low, double high, double spike) {
  auto text = std::string(name);
  for (const double number : {period, low, high}) text += "," + written(number);
  return parse_pattern(name == "spike" ? text + "," + written(spike) : text);
}

rate make_constant(double frequency) {
  return made([&] { return rate(frequency); });
}

rate parse_pattern(const std::string& text) {
  return made([&] { return thalweg::rate_from(text); });
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

std::optional<double> schedule::rate_under_way() const {
  const std::lock_guard alone(lock_);
  return arrivals_ && began_ ? std::optional(arrivals_->follows().at(elapsed())) : std::nullopt;
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
