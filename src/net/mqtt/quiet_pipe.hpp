#pragma once

#include <thalweg/version.hpp>

#include <csignal>
#include <ctime>

namespace THALWEG_NAMESPACE::net::mqtt {

/// While there is one, a write of this thread to a connection that is gone raises no signal, which would end
/// the process: libmosquitto writes without asking for that. One that was pending before stays so.
class quiet_pipe {
 public:
  quiet_pipe() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    was_pending_ = is_pending();
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  quiet_pipe(const quiet_pipe&) = delete;
  quiet_pipe& operator=(const quiet_pipe&) = delete;
  ~quiet_pipe() {
    constexpr std::timespec at_once{};
    if (!was_pending_ && is_pending()) ::sigtimedwait(&pipe_, nullptr, &at_once);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  static bool is_pending() {
    sigset_t pending;
    return ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1;
  }

  sigset_t pipe_{}, before_{};
  bool was_pending_ = false;
};

}  // namespace THALWEG_NAMESPACE::net::mqtt
