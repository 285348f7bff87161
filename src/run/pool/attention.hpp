#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tuning.hpp"

namespace thalweg::run_detail::pooled {

/// Should somebody else call the source while this worker carries an item on? It costs a wake-up, and brings
/// nothing if the worker is back before the next item comes. If the last calls did not wait, items may be
/// there already: yes, unless they are so few and cheap that this worker will soon have caught up. A call
/// that waits may wait for the arrival of the next item, which comes no sooner if somebody stands there, or
/// for something that begins only with the call (a read, a computation). A paced source is of the first kind;
/// for others that do not work themselves both are tried for some items each, and what counts is how long it
/// takes from one item to the next. A conclusion holds the longer the more often it has been drawn.
class attention {
 public:
  /// `work_ns`: what the item in hand will take. Whoever holds the source asks once per run of items, at time
  /// `now`.
  [[nodiscard]] bool wanted(double work_ns, bool waited, std::int64_t now, bool paced) {
    const auto before = std::exchange(last_, now);
    behind_ns_ = waited ? 0 : behind_ns_ + work_ns;
    const bool behind = !waited && work_ns > wake_ns && behind_ns_ > worth_a_call_ns;
    if (paced) {
      if (!waited) return behind;
      if (before != 0) usual_ += (static_cast<double>(now - before) - usual_) / (usual_ == 0 ? 1 : 8);
      return work_ns > std::max(wake_ns, 0.9 * usual_);
    }
    if (!waited && phase_ != phase::settled && restarts_ < most_restarts) {
      restarts_ += count_ > 0 ? 1 : 0;
      count_ = 0;  // who catches up learns little of how items come: the trial begins anew
    } else {
      if (count_ == length_) next_phase(now);
      if (count_++ == 0) began_ = now;
    }
    if (!waited) return behind;
    if (work_ns <= slow_call_ns) return false;
    return phase_ == phase::attended || (phase_ == phase::settled && worth_it_);
  }

  /// Whether the processor's time of the next call shall be measured, which costs a few hundred ns.
  [[nodiscard]] bool doubts() { return calls_++ % calls_per_look == 0; }
  /// A slow call has taken `took_ns`, and so much of it on the processor.
  void looked(std::int64_t took_ns, std::int64_t cpu_ns) {
    const bool worked = 10 * cpu_ns > 8 * took_ns;
    works_ = std::clamp(works_ + (worked ? 1 : -1), 0, 2 * sure);
  }
  /// Slow calls have been work lately, which goes on beside other work, not waiting.
  [[nodiscard]] bool works() const { return works_ >= sure; }

 private:
  enum class phase : std::uint8_t { alone, attended, settled };

  void next_phase(std::int64_t now) {
    // Of a whole phase, so that one item that came late does not decide.
    const auto interval = static_cast<double>(now - began_) / static_cast<double>(length_);
    count_ = 0;
    restarts_ = 0;
    length_ = trial;
    switch (phase_) {
      case phase::alone:
        alone_ = interval;
        phase_ = phase::attended;
        break;
      case phase::attended: {
        const bool worth_it = interval < 0.9 * alone_;
        hold_ = worth_it == worth_it_ ? std::min(hold_ * 2, longest_hold) : trial;
        worth_it_ = worth_it;
        length_ = hold_;
        phase_ = phase::settled;
        break;
      }
      case phase::settled:
        phase_ = phase::alone;
        break;
    }
  }

  // In runs of items.
  static constexpr std::uint32_t trial = 32;
  static constexpr std::uint32_t longest_hold = 8192;
  static constexpr int most_restarts = 4;  // some sources wait now and then only

  static constexpr std::uint32_t calls_per_look = 8;
  static constexpr int sure = 2;

  phase phase_ = phase::alone;
  std::uint32_t count_ = 0, length_ = trial, hold_ = trial;
  int restarts_ = 0;
  bool worth_it_ = false;
  double behind_ns_ = 0;  // work since the source last made us wait
  double alone_ = 0;      // ns between two runs of items
  double usual_ = 0;      // the same, of a paced source
  std::int64_t began_ = 0, last_ = 0;
  std::uint32_t calls_ = 0;
  int works_ = 0;
};

}  // namespace thalweg::run_detail::pooled
