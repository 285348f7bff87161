#include <thalweg/model/error_policy.hpp>

namespace THALWEG_NAMESPACE {

error_policy error_policy::then(error_policy last) const {
  if (!problem_.empty()) {
    last.problem_ = problem_;
  } else if (last_ != action::stop) {
    last.problem_ =
        "nothing can follow tw::skip, tw::dead_letter or tw::decide: they have dealt with the item";
  } else if (retries_ != 0 && last.retries_ != 0) {
    last.problem_ = "tw::retry cannot follow tw::retry: give one of them all the tries";
  } else if (retries_ != 0) {
    last.retries_ = retries_;
    last.delay_ = delay_;
  }
  last.given_ = true;
  return last;
}

std::string error_policy::problem() const {
  if (!problem_.empty()) return std::string(problem_);
  if (retries_ < 0) return "tw::retry must be given at least 0 retries, not " + std::to_string(retries_);
  if (delay_.count() < 0) return "tw::retry must not be given a negative delay";
  if (last_ == action::dead_letter && !handler_)
    return "the handler of tw::dead_letter is null: there is nothing to call";
  if (last_ == action::decide && !judge_)
    return "the handler of tw::decide is null: there is nothing to call";
  return {};
}

}  // namespace THALWEG_NAMESPACE
