#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "../graph/deadlock_report.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {
class graph_engine;
}

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// Messages that a rank has sent and received since the run began, without those of `quiescence`.
struct message_count {
  std::int64_t sent = 0, received = 0;
  friend bool operator==(const message_count&, const message_count&) = default;
};

/// Finds out that no rank moves while nothing is under way between them, and then has one of them go on: of
/// edges that have to grow, the smallest one of all ranks does.
///
/// Waves of questions go down a tree of ranks, and answers come back up (F. Mattern, Algorithms for
/// distributed termination detection, 1987, the method of four counters). No rank asks before one stands
/// still that could go on by itself. A question waits where a rank works, so a moving stream costs nothing.
///
/// State: what this rank has answered last, and the sum of the answers of those below it in this wave.
/// Written by: the communication thread.
/// Invariant: if no rank has changed between two waves, all were still when the second one began. If the
/// ranks had received as many messages as they had sent, nothing was under way. Only then does a rank go on.
class quiescence {
 public:
  /// What one rank tells another.
  struct wave_message {
    enum class kind : std::uint8_t { wanted, question, answer };
    kind what = kind::wanted;
    bool unchanged = true;     ///< answer: since the wave before
    std::int64_t surplus = 0;  ///< answer: more messages sent than received
    /// The rank that is to go on, or could with least harm, and how.
    dataflow::remedy by = dataflow::remedy::nothing;
    std::int64_t items = 0;
    int rank = 0;
  };

  /// `above`: the rank that answers go to; `below`: those that questions go to, which may become more.
  quiescence(dataflow::graph_engine& here, int rank, int above, std::function<std::vector<int>()> below,
             std::function<void(int to, const wave_message&)> tell);

  /// To be called often, but not while a message is half received. `counted` gives the numbers of messages.
  void look(const std::function<message_count()>& counted);
  void heard(const wave_message& w);
  /// Something has moved a moment ago, so it is too early to know more.
  [[nodiscard]] bool is_early() const noexcept { return early_; }

  /// How long a rank is still before it says so.
  static constexpr std::chrono::milliseconds settled{3};
  /// From one question whether all wait for ever to the next.
  static constexpr std::chrono::milliseconds between_failures{500};

 private:
  using clock = std::chrono::steady_clock;

  void ask(const wave_message& question);
  void answer(const dataflow::deadlock_report& now, const message_count& messages);
  void decide();
  void add(const wave_message& w);

  dataflow::graph_engine& net_;
  const int rank_, above_;
  const std::function<std::vector<int>()> those_below_;
  const std::function<void(int to, const wave_message&)> tell_;

  std::uint64_t seen_ = 0;
  clock::time_point seen_at_ = clock::now();
  bool early_ = true;
  std::optional<dataflow::deadlock_report> relieved_;  // which something is being done about here

  bool asked_ = false;                             // this rank is to answer
  bool wanted_ = false;                            // a wave has been asked for, and not been answered since
  bool again_ = false;                             // rank 0: one is to follow
  clock::time_point next_failure_{};               // before, it is not asked whether all wait for ever
  int below_ = 0;                                  // ranks whose answers are to come
  wave_message sum_;                               // of those that have come
  std::optional<dataflow::deadlock_report> last_;  // what this rank has answered
  message_count last_messages_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
