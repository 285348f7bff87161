#pragma once

#include <thalweg/version.hpp>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// A process of the program, as others know it: they may see it and end it if it is on the same machine. It
/// is never taken for a later one with the same number.
struct process {
  std::int64_t pid = 0;         ///< 0: not known
  std::uint64_t begun = 0;      ///< as the machine counts time
  std::array<char, 80> seen{};  ///< where the number means this process

  [[nodiscard]] static process self();

  /// SIGSTOP, and what else keeps it from being executed until somebody continues it. A debugger does not
  /// count.
  [[nodiscard]] bool is_stopped() const;
  /// SIGKILL: also one that is stopped ends then.
  void end() const;
};

/// Notices, while MPI keeps the calling thread waiting so that it cannot look after the heartbeat, that a
/// rank on the same machine has been stopped. If that lasts for `patience` the program is ended, with a line
/// on stderr.
class stop_watch {
 public:
  /// The rank that is watched. `patience` 0: it is not.
  stop_watch(int rank, const process& which, std::chrono::milliseconds patience);
  stop_watch(const stop_watch&) = delete;
  stop_watch& operator=(const stop_watch&) = delete;
  ~stop_watch();

 private:
  void live();

  const process which_;
  const std::chrono::milliseconds step_;
  std::string why_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
