/// `stop_on`: a signal stops a run.
#pragma once

#include <thalweg/version.hpp>

#include <csignal>
#include <initializer_list>
#include <memory>
#include <vector>

namespace THALWEG_NAMESPACE {

class execution;

namespace run_detail {
class engine;
class signal_watch;
}  // namespace run_detail

/// While it lives, the first of these signals stops the run as `execution::stop` does: sources end, and what
/// is on its way drains. The second one has its previous effect, so that a program that does not end can
/// still be killed. So has the first one if the run has already ended: no signal is swallowed.
///
/// `execution::stop` itself must not be called by a signal handler: it takes locks, which the interrupted
/// thread may hold. The handler that this installs writes a byte to a pipe; a thread that reads it does the
/// rest. Several runs may watch the same signal, which then stops all of them.
///
/// Throws `thalweg::error` if one of the signals cannot be caught.
///
/// ```cpp
/// auto e = tw::launch(tw::source([n = 0]() mutable -> std::optional<int> { return n++; }) |
///                     tw::sink([](int) {}));
/// tw::stop_on signals(e, {SIGINT, SIGTERM});
/// std::raise(SIGINT);  // as if the user presses Ctrl-C
/// tw::report r = e.wait();
/// assert(signals.caught() == SIGINT);
/// ```
class [[nodiscard]] stop_on {
 public:
  explicit stop_on(const execution& e, std::initializer_list<int> signals = {SIGINT, SIGTERM});
  stop_on(const stop_on&) = delete;
  stop_on& operator=(const stop_on&) = delete;
  ~stop_on();

  /// The signal that has stopped the run; 0: none. Any thread.
  [[nodiscard]] int caught() const noexcept;

 private:
  const std::unique_ptr<run_detail::signal_watch> watch_;
};

}  // namespace THALWEG_NAMESPACE
