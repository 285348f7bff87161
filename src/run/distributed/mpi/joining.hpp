#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <mpi.h>

#include "join_request.hpp"
#include "process.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// Starts processes that join a run, on the side of the ranks that began it. MPI's functions for that keep
/// their caller waiting, so a thread of this object calls them, and the stream goes on meanwhile.
///
/// State: `state` below. Rank 0 goes from idle through starting to started or failed. All ranks go through
/// meeting to met or too_late, and to settled.
/// Written by: the communication thread begins starting, meeting and settled, the thread of this object all
/// others. Each waits for the other in between. Any thread reads the state.
/// Invariant: rank 0 alone starts processes. All ranks, the joiners among them, agree whether these take
/// part, and a rank that is ready to meet them keeps all that they will send to open until then.
class joining {
 public:
  enum class state : std::uint8_t {
    idle,
    starting,  // of rank 0: processes are being started, and build their job
    started,   // they wait for the ranks: all are to call `meet`
    failed,    // there are none: `problem` says why
    meeting,
    met,       // they can take part
    too_late,  // they cannot
    settled    // the communication thread knows the result
  };

  /// All ranks of `comm` call it. `workers`: those of this rank's policy, as `look_around` takes them.
  joining(MPI_Comm comm, join_request to, std::chrono::milliseconds patience, int workers);
  joining(const joining&) = delete;
  joining& operator=(const joining&) = delete;
  ~joining();

  [[nodiscard]] state now() const noexcept { return state_.load(std::memory_order_acquire); }
  [[nodiscard]] bool under_way() const noexcept { return now() != state::idle && now() != state::settled; }
  /// This rank does not know yet which ranks there are.
  [[nodiscard]] bool is_meeting() const noexcept { return now() == state::meeting || now() == state::met; }

  /// Another thread calls `wake` whenever something has changed. To be set before anything begins.
  void tell(std::function<void()> wake) { wake_ = std::move(wake); }
  /// Of rank 0, when idle.
  void start();
  /// Of all ranks. `hold`: makes sure that this rank can still be joined, and says whether it can; `let_go`:
  /// it need not any more. Called by another thread.
  void meet(std::function<bool()> hold, std::function<void()> let_go);
  /// After failed, met or too late.
  void settle() noexcept { state_.store(state::settled, std::memory_order_release); }

  // What has come of it.

  [[nodiscard]] const group& all() const noexcept { return group_; }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  /// Those that have been started and have come as far as MPI, as long as the run waits for them. Any thread.
  [[nodiscard]] std::vector<process> begun() const;
  /// The problem is that they have another job.
  [[nodiscard]] bool is_other_job() const noexcept { return other_job_; }

  /// At the end of the run, when nothing is under way any more. All ranks and all joiners call it.
  void part();

 private:
  void live();
  void spawn();
  void come_together();
  void become(state s);

  MPI_Comm side_ = MPI_COMM_NULL;
  MPI_Comm inter_ = MPI_COMM_NULL;   // rank 0: to the joiners
  MPI_Comm bridge_ = MPI_COMM_NULL;  // the same as one group
  join_request to_;
  int rank_ = 0;
  std::function<void()> wake_;
  std::function<bool()> hold_;
  std::function<void()> let_go_;
  group group_;
  std::string problem_;
  bool other_job_ = false;
  const std::chrono::milliseconds patience_;
  const int workers_;
  std::vector<std::unique_ptr<stop_watch>> watches_;  // until their heartbeat is listened to
  std::vector<process> processes_;                    // the first `known_` of them
  std::atomic<std::size_t> known_{0};
  std::atomic<state> state_{state::idle};
  std::atomic<bool> over_{false};
  std::counting_semaphore<8> work_{0};
  std::thread thread_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
