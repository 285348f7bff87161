#include "words.hpp"

#include <thalweg/observe/text.hpp>

namespace THALWEG_NAMESPACE::adaptation {

namespace {

using observe::number_text;
using observe::rate_text;

}  // namespace

std::string words_of_size(const stage_window& s, const farm_size& size, const stage_rates& r) {
  auto text = s.name + ": " + number_text(r.law.alone() * 1e3) + " ms an item; what is asked for takes " +
              number_text(size.work) + " replicas at work, and it has " + std::to_string(s.replicas);
  if (size.limits) text += "; it is the farm that all others wait for";
  return text;
}

std::string words_of_taking_back(bool grew, double before, double predicted, double now) {
  if (!grew)
    return "fewer replicas brought " + rate_text(now) + " where it was " + rate_text(before) + ": taken back";
  return "more replicas were to bring " + rate_text(predicted) + ", and brought " + rate_text(now) +
         " where it was " + rate_text(before) + ": taken back";
}

}  // namespace THALWEG_NAMESPACE::adaptation
