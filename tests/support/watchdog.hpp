#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

/// Aborts the program when what is being done takes too long, and says what it was: a hang is a failure that
/// a test program cannot report in any other way. One thread watches over the whole program; `watch` arms it
/// for the length of a scope.
class watchdog {
 public:
  static watchdog& instance() {
    static watchdog one;
    return one;
  }

  /// While it lives, the watchdog waits for it to die. `what` is asked only when it is too late, on another
  /// thread, so whatever it refers to must outlive the watch.
  class watch {
   public:
    watch(std::chrono::seconds limit, std::function<std::string()> what) {
      instance().arm(std::chrono::steady_clock::now() + limit, std::move(what));
    }
    watch(const watch&) = delete;
    watch& operator=(const watch&) = delete;
    ~watch() { instance().arm(never, nullptr); }
  };

  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  using moment = std::chrono::steady_clock::time_point;
  static constexpr moment never = moment::max();

  watchdog() : thread_([this] { wait(); }) {}
  ~watchdog() {
    {
      const std::lock_guard hold(mutex_);
      leave_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  void arm(moment until, std::function<std::string()> what) {
    // The thread is not woken: it looks again soon enough.
    const std::lock_guard hold(mutex_);
    until_ = until;
    what_ = std::move(what);
  }

  void wait() {
    std::unique_lock hold(mutex_);
    while (!leave_) {
      if (std::chrono::steady_clock::now() >= until_) {
        std::fprintf(stderr, "\nThis hangs:\n%s\n", what_().c_str());
        std::fflush(stderr);
        std::abort();
      }
      changed_.wait_for(hold, std::chrono::milliseconds(500));
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  moment until_ = never;
  std::function<std::string()> what_;
  bool leave_ = false;
  std::thread thread_;
};
