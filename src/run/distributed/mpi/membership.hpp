#pragma once

#include <thalweg/run/mpi.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "../graph/exchange.hpp"
#include "endpoint.hpp"
#include "environment.hpp"
#include "heartbeat.hpp"
#include "joining.hpp"

/// Which ranks take part in a run, whether they still answer, and how others join it.
///
/// State: the communicators of those that began the run and of all, what each rank has, the heartbeats, and
/// how far joining has come (idle, starting, started, meeting, met, settled: see joining.hpp).
/// Written by: the communication thread; the thread of `joining` only wakes it. Any thread reads what does
/// not change: mapping and workers.
/// Invariant: a rank that has joined stays until the end. All ranks admit joiners or none does, and a run
/// does not close on rank 0 while joiners may still come.
namespace THALWEG_NAMESPACE::run_detail::distributed {

class membership {
 public:
  membership(endpoint& messages, note_list& notes, MPI_Comm comm, rank_tree tree, dataflow::mapping places,
             std::unique_ptr<heartbeat> beat, std::chrono::milliseconds patience, const environment& env);

  // Before the start.

  /// `room`: how many replicas of each stage the ranks that begin the run have workers for.
  void can_be_joined(std::unique_ptr<joining> by, std::vector<int> room);
  /// Of a joiner: it takes part, or it came too late and does not.
  void take_part(std::unique_ptr<heartbeat> beat) { heartbeat_ = std::move(beat); }
  void stay_apart() noexcept { apart_ = true; }
  [[nodiscard]] bool is_apart() const noexcept { return apart_; }
  void start(dataflow::graph_engine& of) noexcept { net_ = &of; }

  // Any thread.

  [[nodiscard]] const rank_tree& tree() const noexcept { return tree_; }
  [[nodiscard]] const dataflow::mapping& places() const noexcept { return places_; }
  /// 1 for a rank that has come later: those that began the run know nothing else of it.
  [[nodiscard]] int workers(int rank) const noexcept { return rank < tree_.first ? all_.workers(rank) : 1; }
  /// Empty for a rank that has not come yet.
  [[nodiscard]] std::string host(int rank) const {
    return rank < all_.size() ? all_.host(rank) : std::string();
  }

  // The communication thread.

  /// Of those that began the run, and of all.
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] MPI_Comm comm_of_all() const noexcept { return all_comm_; }
  /// There are more ranks on this machine than cores for them.
  [[nodiscard]] bool is_crowded() const noexcept { return crowded_; }
  [[nodiscard]] int cores() const noexcept { return cores_; }
  [[nodiscard]] std::int64_t joined_ns() const noexcept { return joined_ns_; }
  [[nodiscard]] std::chrono::milliseconds patience() const noexcept { return patience_; }

  /// On rank 0: a farm is to have more replicas than there is room for, so processes are started.
  void ask_for_more(std::size_t stage, int replicas);
  /// Acts on what has become of joiners. `tell_state` tells a new rank what it has missed.
  void look(const std::function<void(int joiner)>& tell_state);
  /// Meets the processes that rank 0 has started. All ranks do.
  void meet();
  [[nodiscard]] bool is_meeting() const noexcept { return joining_ && joining_->is_meeting(); }
  [[nodiscard]] bool may_be_joined_now() const noexcept { return joining_ && joining_->under_way(); }
  /// The run is over here. No process is started from now on.
  void stop_asking() noexcept { closing_ = true; }
  /// The run is over but for joiners: ends the program if they do not come.
  void wait_for_joiners();

  void look_at_heartbeats();
  void heard(int from) noexcept;
  /// Returns when no rank listens any more. All ranks call it.
  void end_heartbeats();
  [[nodiscard]] std::int64_t heartbeats_sent() const noexcept;
  /// The last call. Leaves the communicators of the run.
  void leave();

 private:
  void admit(const std::function<void(int joiner)>& tell_state);
  void settle() noexcept;

  endpoint& messages_;
  note_list& notes_;
  const rank_tree tree_;
  const dataflow::mapping places_;
  const machine all_;  // as the run began, or this rank came to it
  const std::chrono::milliseconds patience_;
  const MPI_Comm comm_;
  MPI_Comm all_comm_;
  bool crowded_;
  int cores_;  // of this machine, that its ranks may use
  bool apart_ = false, closing_ = false;
  dataflow::graph_engine* net_ = nullptr;
  std::unique_ptr<heartbeat> heartbeat_, heartbeat_of_all_;
  std::vector<int> room_;  // by stage
  std::int64_t joined_ns_ = 0;
  std::int64_t waiting_since_ns_ = 0;
  std::unique_ptr<joining> joining_;  // last: its thread uses `messages_`
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
