// fraud_detection_train: learns a model from past transactions.
#include <charconv>
#include <cstring>
#include <exception>
#include <iostream>

#include "apps/fraud_detection/model.hpp"
#include "apps/support/error.hpp"

namespace {

constexpr auto usage =
    "Usage: fraud_detection_train <transactions.csv> <model.csv> [<false alarms>]\n"
    "Learns how probable each type of transaction is after each other, and writes the model.\n"
    "False alarms: which share of these transactions may be suspicious (0.00004).\n";

double share(const char* text) {
  double value = 0;
  const auto* last = text + std::strlen(text);
  const auto [end, wrong] = std::from_chars(text, last, value);
  const bool fits = value >= 0 && value <= 1;  // which NaN does not
  if (wrong != std::errc() || end != last || !fits)
    throw apps::error("'" + std::string(text) + "' is not a share of false alarms, 0 to 1");
  return value;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && (!std::strcmp(arguments[1], "--help") || !std::strcmp(arguments[1], "-h"))) {
    std::cout << usage;
    return 0;
  }
  if (count != 3 && count != 4) {
    std::cerr << usage;
    return 2;
  }
  try {
    using apps::fraud_detection::model;
    (count == 3 ? model::train(arguments[1]) : model::train(arguments[1], share(arguments[3])))
        .save(arguments[2]);
    return 0;
  } catch (const std::exception& wrong) {
    std::cerr << "fraud_detection_train: " << wrong.what() << '\n';
    return 1;
  }
}
