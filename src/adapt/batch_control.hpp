/// The part of the default planner that decides how long batches and runs hold items.
#pragma once

#include <thalweg/adapt/window.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "batch_choice.hpp"
#include "period.hpp"

namespace THALWEG_NAMESPACE::adaptation {

/// Changes only batches that have an interval: how many items are in such a one depends on time anyway, so no
/// program can depend on it. Under a goal of latency they get shorter than they were given, never longer;
/// under others longer, where a stage behind does not keep up otherwise. One change at a time: it is checked
/// against what it was to bring, taken back if it brought less than a fifth of that, and then not tried again
/// for a while.
class batch_control {
 public:
  /// The next window that shows one state. Nothing: others may decide. Changes, which may be none: this comes
  /// first.
  std::optional<changes> look(const window& w);
  /// The part of their usual load that farms are to have, so that shorter batches are possible.
  [[nodiscard]] double room() const noexcept { return room_; }

 private:
  enum class kind : std::uint8_t { shorter_batches, shorter_runs, longer, more };
  static constexpr std::size_t kinds = 4;
  struct attempt {
    kind what;
    holding made;
    std::optional<std::chrono::nanoseconds> run_before;
    double before;  // the quantile, or items a second
  };
  // What was tried in vain, or what nothing can be done about now.
  struct mark {
    std::uint64_t until = 0;
    int times = 0;
    void in_vain(std::uint64_t window) noexcept;
    void nothing_to_do(std::uint64_t window) noexcept;
  };

  void begin(const window& w);
  void expect(const window& w, const holding& wanted);
  void begin_period();
  bool changed_by_others(const window& w);
  void follow_load(const window& w);
  [[nodiscard]] bool holds_back(const window& w) const;
  [[nodiscard]] bool is_whole(const window& w) const;
  [[nodiscard]] mark& mark_of(kind what) { return marks_.at(static_cast<std::size_t>(what)); }
  [[nodiscard]] bool may(kind what, const window& w) const {
    return w.number >= marks_.at(static_cast<std::size_t>(what)).until;
  }
  [[nodiscard]] bool may_shorten(const window& w) const {
    return may(kind::shorter_batches, w) || may(kind::shorter_runs, w);
  }
  changes decide(const window& w);
  changes keep_up(const window& w);
  changes keep_latency(const window& w);
  [[nodiscard]] double possible_rate(const window& w, const holding& made) const;
  changes check(const window& w, const attempt& was);
  changes make(const window& w, kind what, const holding& wanted, double is);
  changes ask(const window& w, const holding& wanted);

  std::vector<timed_batch> batches_;
  std::vector<std::chrono::nanoseconds> expected_;  // the intervals that it has asked for
  std::optional<std::chrono::nanoseconds> expected_run_;
  std::vector<int> replicas_;
  bool begun_ = false;
  joined_windows period_;
  int windows_ = 0;  // in it
  std::uint64_t last_ = 0;
  std::chrono::nanoseconds ready_{0};  // until then a window shows what a change has left behind
  std::optional<attempt> trial_;
  std::array<mark, kinds> marks_{};
  int spare_ = 0, behind_ = 0;  // periods in a row in which less would do, and in which more is needed
  int patience_ = 0;            // periods for which less has to do; more each time that this was wrong
  bool relaxed_ = false;        // the last change was to less
  double load_ = 0, room_ = 1;
};

}  // namespace THALWEG_NAMESPACE::adaptation
