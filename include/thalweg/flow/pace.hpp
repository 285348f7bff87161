/// `pace`: the rate of a source, which can be changed while the stream runs.
#pragma once

#include <thalweg/flow/arrivals.hpp>
#include <thalweg/flow/rate.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace THALWEG_NAMESPACE {

namespace model {
class context;
}
namespace flow {
class pacemaker;
}

/// What a paced source follows. Copies are the same pace: keep one, and change the rate of a stream that
/// runs. Any thread.
///
/// ```cpp
/// tw::pace pace(tw::rate::wave({.period = 1, .min = 1'000, .max = 5'000}), tw::when_late::skip);
/// int n = 0;
/// auto run = tw::launch(
///     tw::paced([&n] { return std::optional(n++); }, pace) | tw::sink([](int) {}));
/// pace.set(10'000.0);  // from now on
/// run.stop();
/// run.wait();
/// ```
class pace {
 public:
  /// Items a second. One that is not positive makes the job an `invalid_job`.
  pace(double items_per_second);  // NOLINT(google-explicit-constructor): a number is a pace
  pace(rate r, when_late late = when_late::catch_up);  // NOLINT(google-explicit-constructor)

  /// From now on the source follows this rate, from its beginning. \throws error  if the pace is not valid
  void set(rate r);
  /// How many items have been passed over, under `when_late::skip`.
  [[nodiscard]] std::uint64_t passed_over() const noexcept;
  /// Whether it was made with a rate, or with a number that is a valid one.
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }

 private:
  friend class flow::pacemaker;
  struct state;
  std::shared_ptr<state> state_;  // null: a number that is no rate
};

namespace flow {

/// What a run says to one of its paced sources, in place of what its pace says, and what it hears from it.
/// Any thread.
struct told_rate {
  /// From now on the source follows this rate, from its beginning, until it is told another one or its pace
  /// is set.
  void set(rate r);
  /// Items a second that are due at a moment of the steady clock (ns), less what the run had been paused by
  /// then; nothing, if the source has not begun, or if another process executes it.
  [[nodiscard]] std::optional<double> at(std::int64_t ns) const;

 private:
  friend class pacemaker;
  struct followed {
    rate what;
    std::int64_t began_ns;
  };

  mutable std::mutex lock_;
  std::optional<rate> told_;
  std::optional<followed> followed_;
  std::atomic<std::uint64_t> version_{0};  // the change that it was told by, as a pace has it
  std::uint64_t seen_ = 0;                 // by the source
};

/// The position of one source along a pace.
class pacemaker {
 public:
  /// `spin`: waits actively for dense items. `told`: of the pace and this one, the last that was set holds.
  pacemaker(const pace& p, bool spin, std::shared_ptr<told_rate> told);

  enum class outcome : std::uint8_t { due, held_up, over };
  /// Waits until the next item is due. Held up: the source must not be called now. Over: no more items come.
  outcome wait(model::context& ctx);
  /// When the item that `wait` waited for was due (steady clock, ns).
  [[nodiscard]] std::int64_t due_ns() const noexcept { return due_ns_; }
  /// The source has been called for it.
  void called();

 private:
  void look_again(std::int64_t now);
  [[nodiscard]] std::int64_t due_now(const model::context& ctx) const;

  std::shared_ptr<pace::state> state_;
  bool spin_;
  std::shared_ptr<told_rate> told_;
  std::uint64_t version_ = 0;  // the change that it follows
  std::optional<arrivals> arrivals_;
  std::int64_t began_ns_ = 0;  // less what the run had been paused by then
  std::int64_t due_ns_ = 0;
  double called_at_ = 0;  // seconds since it began
};

}  // namespace flow
}  // namespace THALWEG_NAMESPACE
