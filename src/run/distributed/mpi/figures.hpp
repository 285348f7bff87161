#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "endpoint.hpp"
#include "gather.hpp"
#include "membership.hpp"

/// What rank 0 knows of all ranks while a run goes on.
///
/// Once a thread of rank 0 has asked, each rank counts every `period` what it has done since the run began,
/// and tells the rank above it in the tree in which way that has changed, together with what it was told from
/// below: so each rank sends one message per period, and rank 0 gets few. A rank that is late holds up those
/// below it alone: the others' rows are newer then.
///
/// State: what this rank has told the last time, what has come from below since then; on rank 0, by rank,
/// what it was told, and when that was so.
/// Written by: the communication thread. Any thread of rank 0 asks.
/// Invariant: what a rank tells arrives in order, so that rank 0 has of each what that has told the last
/// time. Nothing is told before rank 0 has asked.
namespace THALWEG_NAMESPACE::run_detail::distributed {

class figures {
 public:
  figures(endpoint& messages, membership& members, std::function<of_this_rank()> mine)
      : messages_(messages), members_(members), mine_(std::move(mine)) {}

  void start(run_state& run);

  /// On rank 0: all ranks are to tell what they count. The first call waits for what they tell, though not
  /// for long: a rank may be stopped. Any thread.
  void ask();

  // The communication thread.

  /// Rank 0 wants to know it, every so many ns.
  void begin(std::int64_t period_ns);
  /// Tells what is due, if it was asked for.
  void look();
  /// What a rank below has told.
  void take(int from, std::span<const std::byte> rows);
  /// For a rank that has come later: what to begin with; 0: nothing was asked for.
  [[nodiscard]] std::int64_t period_ns() const noexcept { return period_ns_; }
  /// Nothing is told any more.
  void end();

  [[nodiscard]] std::int64_t sent() const noexcept { return sent_; }
  [[nodiscard]] std::int64_t received() const noexcept { return received_; }

 private:
  void make_room();
  void add_row();
  void learn();
  void answer();

  endpoint& messages_;
  membership& members_;
  const std::function<of_this_rank()> mine_;
  run_state* run_ = nullptr;
  std::int64_t period_ns_ = 0, next_ns_ = 0;
  std::vector<std::byte> before_;  // what this rank has told
  std::vector<std::byte> rows_;    // to be told next
  // On rank 0, by rank.
  std::vector<std::vector<std::byte>> bytes_;  // empty: it has not told anything
  std::vector<rank_statistics> told_;
  std::vector<std::int64_t> at_ns_;  // by the clock of rank 0
  std::int64_t sent_ = 0, received_ = 0;
  bool all_have_told_ = false;
  std::atomic<bool> asked_{false};
  std::mutex waiting_;
  std::condition_variable changed_;
  bool answered_ = false;  // or there is no point in waiting
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
