#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include <mpi.h>

#include "environment.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// Notices that a rank does not answer any more, although its process may still be there.
///
/// The ranks form a ring. Each sends the next one some heartbeats within `patience`, unless it has sent it
/// other messages, and listens to the one before it. If that is silent for too long, this rank ends the whole
/// program, with a line on stderr that names the silent one.
///
/// State: when this rank has sent the last beat, and for how long the one before it has been silent.
/// Written by: the communication thread.
/// Invariant: silence counts only while this thread runs, at most 50 ms for each look. A rank sends its last
/// beat once, and listens until it has heard the last one of the rank before it.
class heartbeat {
 public:
  using clock = std::chrono::steady_clock;

  /// `env`: the ranks of `comm`. `patience` 0: no rank listens.
  heartbeat(MPI_Comm comm, const environment& env, std::chrono::nanoseconds patience);
  heartbeat(const heartbeat&) = delete;
  heartbeat& operator=(const heartbeat&) = delete;
  ~heartbeat() = default;

  /// To be called every now and then, more often than ten times within `patience`.
  void look();
  /// A message of this rank has come.
  void heard(int from) noexcept { message_came_ = message_came_ || from == before_; }
  /// The rank that listens to this one, and how many messages it has been sent so far.
  [[nodiscard]] int next() const noexcept { return (rank_ + 1) % ranks_; }
  void wrote(std::int64_t messages) noexcept {
    wrote_ = wrote_ || messages != letters_;
    letters_ = messages;
  }
  /// To be called again until it returns true. Then no rank listens any more.
  [[nodiscard]] bool end();
  /// How many messages this has sent.
  [[nodiscard]] std::int64_t messages() const noexcept { return messages_; }

 private:
  enum beat : std::uint8_t { alive, last };

  void send(beat what);
  void listen();
  [[noreturn]] void give_up() const;

  const MPI_Comm comm_;
  const std::chrono::nanoseconds patience_;
  int rank_ = 0, ranks_ = 1;
  int before_ = 0;  // the rank that is listened to
  std::string host_;
  process process_;
  clock::time_point looked_ = clock::now(), sent_ = looked_;
  std::chrono::nanoseconds silence_{0};
  std::int64_t messages_ = 0, letters_ = 0;
  bool message_came_ = false, wrote_ = false;  // since the last look
  bool said_last_ = false, heard_last_ = false;
  beat mine_ = alive, heard_ = alive;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};  // in, out
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
