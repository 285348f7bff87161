#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "apps/fraud_detection/history.hpp"
#include "apps/fraud_detection/transaction.hpp"
#include "apps/fraud_detection/types.hpp"

namespace apps::fraud_detection {

/// A Markov chain over the types of transactions, learned from past ones: how probable each type is after
/// each other. The less probable a card's last transactions are together, the more suspicious is the card (N.
/// Ye, A Markov Chain Model of Temporal Behavior for Anomaly Detection, IEEE Workshop on Information
/// Assurance and Security, 2000). Their *surprise* is the sum of -log2 of the probabilities, in hundredths of
/// a bit. It is computed from tables of integers, so that every machine and every order of cards gives the
/// same.
///
/// In a file, 20 lines of values between commas: the names of the types; for each of them, in that order, the
/// probabilities of those that follow; `threshold`, in bits.
class model {
 public:
  /// Reads a model. \throws error  naming file and line, if it is not one or does not fit
  static model load(const std::filesystem::path& file);

  /// Counts the transitions of each card in a file of past transactions, one added to each count as nothing
  /// is impossible. The threshold is set so that of these transactions at most `false_alarms` (a share) are
  /// suspicious. \throws error  naming the file, and the line if one is to blame
  static model train(const std::filesystem::path& transactions, double false_alarms = 0.00004);

  /// \throws error  if the file cannot be written
  void save(const std::filesystem::path& file) const;

  /// In hundredths of a bit. A transition that has not happened yet surprises nobody.
  std::uint32_t surprise(const history& past) const {
    const auto& types = past.types();
    std::uint32_t sum = 0;
    for (std::size_t i = 1; i < types.size(); ++i) sum += surprise_[types[i - 1]][types[i]];
    return sum;
  }
  /// From which surprise on a transaction is suspicious, in hundredths of a bit.
  std::uint32_t threshold() const { return threshold_; }
  /// How probable `to` is after `from`, in millionths.
  std::uint32_t probability(type from, type to) const { return probability_[from - 1][to - 1]; }

 private:
  void set(type from, type to, std::uint32_t millionths);

  std::array<std::array<std::uint16_t, 32>, types + 1> surprise_{};
  std::uint32_t threshold_ = 0;
  std::array<std::array<std::uint32_t, types>, types> probability_{};
};

/// -log2(millionths / 1000000) in hundredths, rounded; by integers alone. `millionths`: 1 to 1000000.
std::uint16_t surprise_of(std::uint32_t millionths);

}  // namespace apps::fraud_detection
