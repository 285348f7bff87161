#include <thalweg/pipe/futex.hpp>

#include <climits>

#if defined(__linux__)
#include <cerrno>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <algorithm>
#include <thread>
#endif

namespace THALWEG_NAMESPACE::pipe {

#if defined(__linux__)

namespace {

// An absolute deadline on the monotonic clock (which is what steady_clock is on Linux) does not drift when a
// sleep is interrupted and restarted.
long futex(const futex_word& word, int operation, std::uint32_t value, const timespec* deadline,
           futex_scope scope = futex_scope::process) noexcept {
  static_assert(sizeof(futex_word) == sizeof(std::uint32_t) && futex_word::is_always_lock_free);
  return syscall(SYS_futex, &word, operation | (scope == futex_scope::process ? FUTEX_PRIVATE_FLAG : 0),
                 value, deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
}

}  // namespace

void futex_wait(const futex_word& word, std::uint32_t expected) noexcept {
  futex(word, FUTEX_WAIT_BITSET, expected, nullptr);
}

bool futex_wait_until(const futex_word& word, std::uint32_t expected,
                      std::chrono::steady_clock::time_point deadline, futex_scope scope) noexcept {
  using namespace std::chrono;
  const auto since = deadline.time_since_epoch();
  if (since.count() <= 0) return false;
  const auto whole = duration_cast<seconds>(since);
  timespec end{};
  end.tv_sec = static_cast<std::time_t>(whole.count());
  end.tv_nsec = static_cast<long>(duration_cast<nanoseconds>(since - whole).count());
  return futex(word, FUTEX_WAIT_BITSET, expected, &end, scope) == 0 || errno != ETIMEDOUT;
}

void futex_wake(const futex_word& word, int count, futex_scope scope) noexcept {
  futex(word, FUTEX_WAKE_BITSET, static_cast<std::uint32_t>(count), nullptr, scope);
}

void futex_wake_all(const futex_word& word) noexcept {
  futex_wake(word, INT_MAX);
}

#else

void futex_wait(const futex_word& word, std::uint32_t expected) noexcept {
  word.wait(expected, std::memory_order_relaxed);
}

bool futex_wait_until(const futex_word& word, std::uint32_t expected,
                      std::chrono::steady_clock::time_point deadline, futex_scope) noexcept {
  using namespace std::chrono;
  auto nap =
      steady_clock::duration(microseconds(20));  // std::atomic has no timed wait: sleeps that grow to 1 ms
  for (;;) {
    if (word.load(std::memory_order_relaxed) != expected) return true;
    const auto now = steady_clock::now();
    if (now >= deadline) return false;
    std::this_thread::sleep_for(std::min(nap, deadline - now));
    nap = std::min(2 * nap, steady_clock::duration(milliseconds(1)));
  }
}

void futex_wake(const futex_word& word, int count, futex_scope) noexcept {
  auto& waitable = const_cast<futex_word&>(word);
  if (count == 1) {
    waitable.notify_one();
  } else {
    waitable.notify_all();
  }
}

void futex_wake_all(const futex_word& word) noexcept {
  futex_wake(word, INT_MAX);
}

#endif

}  // namespace THALWEG_NAMESPACE::pipe
