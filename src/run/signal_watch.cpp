#include "signal_watch.hpp"

#include <thalweg/run/engine.hpp>
#include <thalweg/run/run.hpp>
#include <thalweg/run/stop_on.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace THALWEG_NAMESPACE::run_detail {

namespace {

// Where the handler writes. A handler may do next to nothing: POSIX says that `write` is among it.
std::atomic<int> pipe_end{-1};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void tell(int signal) {
  const int before = errno;
  const auto byte = static_cast<unsigned char>(signal);
  (void)!::write(pipe_end.load(), &byte, 1);
  errno = before;
}

}  // namespace

/// The watches of the process, and the thread that reads what the handler writes. It lives while there are
/// watches.
class signal_desk {
 public:
  // Never destroyed: a signal may come when the program is about to end.
  static signal_desk& instance() {
    static auto* const one = new signal_desk;
    return *one;
  }

  void add(signal_watch& w) {
    const std::lock_guard hold(lock_);
    open();
    for (std::size_t i = 0; i < w.signals_.size(); ++i) {
      if (catch_signal(w.signals_[i])) continue;
      const auto why = std::system_category().message(errno);
      for (std::size_t k = 0; k < i; ++k) let_go(w.signals_[k]);
      close_if_idle();
      throw error("stop_on: signal " + std::to_string(w.signals_[i]) + " cannot be caught: " + why);
    }
    all_.push_back(&w);
  }
  void remove(signal_watch& w) {
    const std::lock_guard hold(lock_);
    std::erase(all_, &w);
    for (const int s : w.signals_) let_go(s);
    close_if_idle();
  }

 private:
  struct action {
    struct sigaction before = {};
    int watches = 0;
    bool caught = false;  // ours is installed
  };

  bool catch_signal(int s) {
    auto& a = actions_[s];
    if (!a.caught) {
      struct sigaction ours = {};
      ours.sa_handler = tell;
      ours.sa_flags = SA_RESTART;
      sigemptyset(&ours.sa_mask);
      if (sigaction(s, &ours, &a.before) != 0) {
        if (a.watches == 0) actions_.erase(s);
        return false;
      }
      a.caught = true;
    }
    ++a.watches;
    return true;
  }
  void let_go(int s) {
    const auto at = actions_.find(s);
    if (at == actions_.end() || --at->second.watches > 0) return;
    restore(s, at->second);
    actions_.erase(at);
  }
  static void restore(int s, action& a) {
    if (std::exchange(a.caught, false)) (void)sigaction(s, &a.before, nullptr);
  }

  void open() {
    if (reader_.joinable()) return;
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
      throw std::system_error(errno, std::system_category(), "stop_on: cannot create a pipe");
    (void)fcntl(ends[0], F_SETFL, 0);  // the reader waits
    pipe_end.store(ends[1]);
    try {
      reader_ = std::thread([this, from = ends[0]] { read_all(from); });
    } catch (...) {
      pipe_end.store(-1);
      close(ends[0]);
      close(ends[1]);
      throw;
    }
  }
  // Nobody watches any more, and no handler is ours: the thread reads what is left and ends.
  void close_if_idle() {
    if (!all_.empty() || !reader_.joinable()) return;
    close(pipe_end.exchange(-1));
    reader_.detach();
    reader_ = {};
  }

  void read_all(int from) {
    for (unsigned char s = 0;;) {
      const auto n = read(from, &s, 1);
      if (n == 0) break;
      if (n == 1) came(s);
      if (n < 0 && errno != EINTR) break;
    }
    close(from);
  }

  // From now on the signal does what it did before.
  void came(int s) {
    std::vector<std::shared_ptr<engine>> runs;
    {
      const std::lock_guard hold(lock_);
      if (const auto at = actions_.find(s); at != actions_.end()) restore(s, at->second);
      for (auto* w : all_) {
        if (std::find(w->signals_.begin(), w->signals_.end(), s) == w->signals_.end()) continue;
        auto run = w->run_.lock();
        if (!run || run->state().flags.done.load()) continue;
        w->caught_.store(s);
        runs.push_back(std::move(run));
      }
    }
    if (runs.empty()) (void)kill(getpid(), s);
    for (const auto& r : runs) r->stop();
  }

  std::mutex lock_;
  std::vector<signal_watch*> all_;
  std::map<int, action> actions_;
  std::thread reader_;
};

signal_watch::signal_watch(const std::shared_ptr<engine>& run, std::vector<int> signals)
    : run_(run), signals_(std::move(signals)) {
  signal_desk::instance().add(*this);
}

signal_watch::~signal_watch() {
  signal_desk::instance().remove(*this);
}

}  // namespace THALWEG_NAMESPACE::run_detail

namespace THALWEG_NAMESPACE {

stop_on::stop_on(const execution& e, std::initializer_list<int> signals)
    : watch_(std::make_unique<run_detail::signal_watch>(e.held(), signals)) {}

stop_on::~stop_on() = default;

int stop_on::caught() const noexcept {
  return watch_->caught();
}

}  // namespace THALWEG_NAMESPACE
