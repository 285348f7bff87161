#pragma once

#include <thalweg/observe/clock.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace thalweg::run_detail::pooled {

/// The source, kept for the worker that has just left it with a cheap item and will be back before the next
/// one comes: two workers that take turns would both stay awake, and each item would come to a core that has
/// not seen the last. Whoever is awake leaves the source alone until then, and goes to sleep over it. So it
/// must not outlast its worker's wish to come back: who finds nothing to do, perhaps because there is no room
/// behind the source now, lifts its reservation before it registers as idle (docs/protocols/reservation.pml).
class reservation {
 public:
  /// By whoever holds the source, before it lets go of it.
  void make(std::size_t worker, std::int64_t until_ns) noexcept {
    for_.store(worker, std::memory_order_relaxed);
    until_ns_.store(until_ns, std::memory_order_relaxed);
  }

  void lift(std::size_t worker) noexcept {
    if (until_ns_.load(std::memory_order_relaxed) != 0 && for_.load(std::memory_order_relaxed) == worker)
      until_ns_.store(0, std::memory_order_relaxed);
  }

  /// Must this worker leave the source alone?
  [[nodiscard]] bool keeps_out(std::size_t worker) const noexcept {
    const auto until = until_ns_.load(std::memory_order_relaxed);
    return until != 0 && for_.load(std::memory_order_relaxed) != worker && observe::now_ns() < until;
  }

 private:
  // Read and written apart: who sees one from before and one from after takes the source or rests for a
  // moment too early, which does no harm.
  std::atomic<std::size_t> for_{0};
  std::atomic<std::int64_t> until_ns_{0};  // 0: nobody's
};

}  // namespace thalweg::run_detail::pooled
