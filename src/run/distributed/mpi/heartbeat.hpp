#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include <mpi.h>

#include "environment.hpp"

namespace thalweg::run_detail::distributed {

/// Notices that a rank does not answer any more, although its process may still be there. The ranks form a
/// ring: each tells the next one some times within `patience` that it is alive, unless it has written to it
/// anyway, and listens to the one before. If that is silent for too long the whole program is ended, with a
/// line on stderr that says who it was.
///
/// One thread, which speaks MPI, calls everything.
class heartbeat {
 public:
  using clock = std::chrono::steady_clock;

  /// `env`: the ranks of `comm`. `patience` 0: nobody is listened to.
  heartbeat(MPI_Comm comm, const environment& env, std::chrono::nanoseconds patience);
  heartbeat(const heartbeat&) = delete;
  heartbeat& operator=(const heartbeat&) = delete;
  ~heartbeat() = default;

  /// To be called every now and then, more often than ten times within `patience`.
  void look();
  /// A message of that rank has come.
  void heard(int from) noexcept { message_came_ = message_came_ || from == before_; }
  /// The rank that listens to this one, and how many messages it has been sent so far.
  [[nodiscard]] int next() const noexcept { return (rank_ + 1) % ranks_; }
  void wrote(std::int64_t messages) noexcept {
    wrote_ = wrote_ || messages != letters_;
    letters_ = messages;
  }
  /// Nobody is listened to any more once this returns true, on all ranks; until then it is to be called
  /// again.
  [[nodiscard]] bool end();
  /// How many messages this has sent.
  [[nodiscard]] std::int64_t messages() const noexcept { return messages_; }

 private:
  enum beat : std::uint8_t { alive, last };

  void send(beat what);
  void listen();
  [[nodiscard]] bool has_been_sent();
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
  std::array<MPI_Request, 2> way_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};  // in, out
};

}  // namespace thalweg::run_detail::distributed
