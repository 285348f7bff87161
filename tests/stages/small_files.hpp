#pragma once

#include <csignal>

#include <sys/resource.h>

/// No file may become larger meanwhile: as a disk that is full.
class small_files {
 public:
  explicit small_files(rlim_t most) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{most, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  small_files(const small_files&) = delete;
  small_files& operator=(const small_files&) = delete;
  ~small_files() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  rlimit before_{};
  void (*signal_)(int);
};
