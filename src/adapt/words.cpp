#include "words.hpp"

#include <cstdio>

namespace THALWEG_NAMESPACE::adaptation {

namespace {

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

std::string rate(double x) {
  char text[32];
  std::snprintf(text, sizeof text, x < 10 ? "%.2g" : "%.0f", x);
  return text;
}

}  // namespace

std::string words_of_size(const stage_window& s, const farm_size& size, const stage_rates& r) {
  auto text = s.name + ": " + number(r.law.alone() * 1e3) + " ms an item; what is asked for takes " +
              number(size.work) + " replicas at work, and it has " + std::to_string(s.replicas);
  if (size.limits) text += "; it is the farm that all others wait for";
  return text;
}

std::string words_of_taking_back(bool grew, double before, double predicted, double now) {
  if (!grew)
    return "fewer replicas brought " + rate(now) + " items a second where it was " + rate(before) +
           ": taken back";
  return "more replicas were to bring " + rate(predicted) + " items a second, and brought " + rate(now) +
         " where it was " + rate(before) + ": taken back";
}

void add_words(std::string& to, const std::string& more) {
  to += (to.empty() ? "" : "; ") + more;
}

}  // namespace THALWEG_NAMESPACE::adaptation
