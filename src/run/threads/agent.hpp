#pragma once

#include <thalweg/run/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "crossing.hpp"
#include "layout.hpp"

namespace thalweg::run_detail::dedicated {

class worker;

/// One replica of a node at work: takes parcels from its inlet, carries them through its stages and puts what
/// comes out into its outlet.
class agent final : public party {
 public:
  agent(run_state& run, const node& n, std::size_t replica, worker& w, inlet* in, outlet* out);
  ~agent() override;

  /// [first, last)
  [[nodiscard]] std::pair<std::size_t, std::size_t> stages() const noexcept {
    return {node_.first, node_.last};
  }

  // Its thread.

  /// Makes the operators and calls their start hooks.
  void begin(thread_log& log);
  /// Whether `step` has something to do.
  [[nodiscard]] bool ready();
  void step();
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  /// When to step at the latest.
  [[nodiscard]] std::int64_t deadline() const;
  [[nodiscard]] inlet* input() const noexcept { return in_; }
  /// It had nothing to do for so long.
  void idled(std::int64_t ns) noexcept;

  void wait_until(const std::function<bool()>& ready) override;
  bool ring() noexcept override;
  void woke() noexcept override;

 private:
  class own_context;
  class stopwatch;

  [[nodiscard]] own_context& context(std::size_t component) const;
  [[nodiscard]] part part_at(std::size_t stage) const;
  [[nodiscard]] std::size_t behind(const part& p) const noexcept {
    return p.first + (p.stages.last - p.stages.first);
  }
  template <class F> bool guarded(std::size_t component, F&& f);
  template <class F> void attempt(std::size_t component, F&& f);

  void flushed(own_context& ctx, std::size_t leaf, pipe::chunk_base& out);
  void carry(std::size_t stage, pipe::chunk_base& items);
  void pass_through(pipe::chunk_base& items);
  void take(parcel p);
  [[nodiscard]] bool may_call_source() const;
  void produce();
  void call_source(own_context& ctx, const part& p);
  void run_whole(own_context& ctx, const part& p);
  [[nodiscard]] std::int64_t next_timer() const;
  [[nodiscard]] bool timer_is_due() const;
  void fire_timers();
  template <class F> void send_from(std::size_t component, std::size_t stage, std::size_t next, F&& hook);
  void finish();

  run_state& run_;
  const node& node_;
  const std::size_t replica_;
  worker& worker_;
  inlet* const in_;    // null: it begins with the source
  outlet* const out_;  // null: it ends with the sink
  thread_log* log_ = nullptr;
  std::vector<std::unique_ptr<own_context>> contexts_;  // of its components, which are neighbours
  std::vector<chunk_ptr> between_;                      // what its stages hand to each other
  std::vector<run_state::stage_ref> timed_;
  bool ended_ = false;
  bool source_ended_ = false;
  bool paced_;
  bool flush_counts_ = false;  // each flush is one more item of the source
  std::int64_t position_ = 0;
  std::int64_t born_ns_ = 0;
  std::int64_t made_ = 0;           // items of the source
  std::size_t run_length_ = 1;      // items a source makes at once where nobody waits for them
  std::size_t inner_limit_ = 1;     // items handed on at once between its stages
  std::int64_t not_worked_ns_ = 0;  // of the thread's time so far: in calls inside calls, or waiting
  std::int64_t began_ns_ = 0;       // the parcel in hand
  std::int64_t ended_ns_ = 0;       // the last call
  std::uint64_t ticks_ = 0;
};

}  // namespace thalweg::run_detail::dedicated
