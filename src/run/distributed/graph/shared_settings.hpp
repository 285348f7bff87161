#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exchange.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

/// What rank 0 may set anew for all ranks while the run goes on.
///
/// State: the numbers as they hold on this rank.
/// Written by: the communication thread, as rank 0 has told it. Any thread reads.
/// Invariant: all ranks are told the same in the same order, so they end with the same numbers.
class shared_settings {
 public:
  shared_settings(const exchange& by, std::size_t stages) : credits_(stages), message_bytes_(by.run_bytes()) {
    for (auto& c : credits_) c.store(by.credits());
  }

  /// How many runs of items a sender may have under way to one replica of this stage, the first one of its
  /// farm; 0: the network decides.
  [[nodiscard]] int credits(std::size_t stage) const noexcept { return credits_[stage].load(); }
  /// How many bytes of items to send at once, about.
  [[nodiscard]] std::size_t message_bytes() const noexcept { return message_bytes_.load(); }
  /// Over so many ranks replicas are spread; 0: as each farm began.
  [[nodiscard]] int ranks() const noexcept { return ranks_.load(); }

  void set_credits(std::size_t stage, int runs) noexcept { credits_[stage].store(runs); }
  void set_message_bytes(std::size_t bytes) noexcept { message_bytes_.store(bytes); }
  void set_ranks(int ranks) noexcept { ranks_.store(ranks); }

 private:
  std::vector<std::atomic<int>> credits_;
  std::atomic<std::size_t> message_bytes_;
  std::atomic<int> ranks_{0};
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
