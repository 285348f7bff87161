#pragma once

#include <thalweg/version.hpp>

#include <csignal>
#include <thread>
#include <utility>

namespace THALWEG_NAMESPACE::live {

/// Begins a thread that takes no signals: the program's handlers are called on its own threads, and a reader
/// that goes away makes a call fail, and does not end the program.
template <class F> std::thread quiet_thread(F&& life) {
  sigset_t all, before;
  sigfillset(&all);
  for (const int own_fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, own_fault);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  struct restore {
    const sigset_t& mask;
    ~restore() { (void)pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  } const after{before};
  return std::thread(std::forward<F>(life));
}

}  // namespace THALWEG_NAMESPACE::live
