#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "endpoint.hpp"
#include "figures.hpp"
#include "gather.hpp"
#include "membership.hpp"
#include "quiescence.hpp"

/// What ranks tell each other about the run: how many replicas its farms have, that it stops, pauses or is
/// cancelled, that no rank moves; and, if rank 0 wants to know it and at the end, its statistics.
///
/// State: the flags of the run that the other ranks know of, what rank 0 has set, and for each stage the time
/// of the last change of its replicas and the rank that made it. The time is a Lamport clock that counts
/// changes (L. Lamport, Time, clocks and the ordering of events in a distributed system, 1978). Written by:
/// the communication thread. Any thread asks for something, through lists under a lock. Invariant: of several
/// changes of a stage all ranks end with the one of the highest time and rank. What rank 0 sets reaches all
/// in the order in which it does. Each rank passes on what it is told once, down the tree of the rank that
/// began.
namespace THALWEG_NAMESPACE::run_detail::distributed {

class control {
 public:
  control(endpoint& messages, membership& members, note_list& notes)
      : messages_(messages),
        members_(members),
        notes_(notes),
        rank_(members.tree().rank),
        figures_(messages, members, [this] { return of_this(); }) {}

  /// All is laid out, and the run begins.
  void start(dataflow::graph_engine& of);
  /// Changes the replicas of a stage on all ranks. Any thread.
  void resize(std::size_t stage, int replicas);
  /// On rank 0: sets something on all ranks. Any thread.
  void set(const dataflow::setting& s);
  /// On rank 0: see there. Any thread.
  void ask_for_figures() { figures_.ask(); }

  // The communication thread.

  /// Tells the others what this rank's run has been told.
  void look();
  /// Something another rank has told this one.
  void act_on(int from, const header& head, std::span<const std::byte> content);
  /// Finds out whether all ranks wait for each other, and has one go on.
  void look_for_quiescence();
  /// Something has moved a moment ago, so it is too early to know.
  [[nodiscard]] bool may_be_quiescent_soon() const noexcept { return quiescence_ && quiescence_->is_early(); }
  [[nodiscard]] bool has_told_cancel() const noexcept { return told_cancel_; }
  /// For the report of rank 0. All ranks call it, when nothing is executed any more.
  void gather_statistics();

 private:
  struct size_asked {
    std::size_t stage = 0;
    int replicas = 0;
  };

  void do_as_asked();
  void take_size(const header& head);
  void take_setting(const dataflow::setting& s);
  void tell_state(int joiner);
  void tell(int to, const quiescence::wave_message& w);
  [[nodiscard]] message_count counted() const;
  [[nodiscard]] of_this_rank of_this() const;

  endpoint& messages_;
  membership& members_;
  note_list& notes_;
  const int rank_;
  dataflow::graph_engine* net_ = nullptr;
  std::mutex asking_;
  std::vector<size_asked> asked_;
  std::vector<dataflow::setting> to_set_;
  std::atomic<bool> any_asked_{false};
  std::int64_t changes_ = 0;                                            // the clock
  std::map<std::size_t, std::pair<std::int64_t, std::int64_t>> sized_;  // by stage: time and rank
  std::map<std::pair<dataflow::setting::kind, std::size_t>, dataflow::setting> set_;  // the last of each
  bool told_stop_ = false, told_cancel_ = false, told_pause_ = false;
  std::optional<quiescence> quiescence_;  // null: a rank that can go on will
  message_count of_quiescence_;
  figures figures_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
