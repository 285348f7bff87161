#pragma once

#include <thalweg/observe/clock.hpp>
#include <thalweg/run/engine.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "../parts.hpp"
#include "channel.hpp"
#include "lost_time.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

class graph_engine;
struct worker;

/// One replica's operators of a line of stages: runs of items go through its parts, one after the other.
class stage_runner {
 public:
  /// Who takes what the last part has put into its output.
  class output {
   public:
    virtual ~output() = default;
    /// In the middle of a call: whether more may be collected than items of so many bytes.
    [[nodiscard]] virtual bool collects(std::size_t bytes) = 0;
    /// Takes it; in the middle of a call (`in_call`) it may have to wait.
    virtual void give(worker& w, bool in_call) = 0;
    /// A call lasts long: what it has given until now goes on, as far as there is room. The monitor's thread.
    virtual void hand_on() {}
    /// Whether it can take what comes to `stage` (its number in the plan), where the run of `from` is to be
    /// cut short in the middle of a call of a stage before.
    [[nodiscard]] virtual bool can_divert(const stage_runner& from, std::size_t stage) const {
      (void)from, (void)stage;
      return false;
    }
    /// Whether it can take what comes of that at a later stage.
    [[nodiscard]] virtual bool can_divert_behind(const stage_runner& from, std::size_t stage) const {
      (void)from, (void)stage;
      return false;
    }
    /// Takes it: other nodes go on with it.
    virtual void divert(const stage_runner& from, worker& w, std::size_t stage, pipe::chunk_base& items) {
      (void)from, (void)w, (void)stage, (void)items;
    }
  };

  /// Items come out in `out` (null if the last stage is a sink).
  stage_runner(graph_engine& n, const std::vector<part>& parts, std::size_t replica, pipe::chunk_base* out,
               output& to);
  ~stage_runner();

  /// Makes the operators and calls their start hooks, if that has not been done.
  void start(worker& w);
  /// Runs the items through all parts. Returns the time that was worked.
  std::int64_t process(worker& w, pipe::chunk_base& items, std::size_t limit);
  /// The same, but the run may be cut short: the items that are left are still in `items` then.
  std::int64_t process_some(worker& w, pipe::chunk_base& items, std::size_t limit);
  /// In the middle of a call of stage `stage - 1`: runs what it has sent through the stages from there on.
  void carry_on(worker& w, std::size_t stage, pipe::chunk_base& items, std::size_t limit);
  /// Calls the source, the first stage, for up to `n` items.
  model::produced produce(worker& w, std::size_t n, std::size_t limit);
  /// In the middle of that call: the source is not called again.
  void pull_no_more() noexcept { quota_.store(0); }
  /// Calls what is due. `items_wait`: for the first stage.
  void fire_timers(worker& w, std::size_t limit, bool items_wait);
  [[nodiscard]] std::int64_t deadline() const;
  /// Where its stages are counted.
  [[nodiscard]] std::span<observe::stage_counters> counters() noexcept {
    return log_ ? log_->span(first_, last_ - first_) : std::span<observe::stage_counters>{};
  }
  /// Tells the first stage how far time has come.
  void catch_up(worker& w, std::size_t limit);
  /// The end hook of stage `s` (its number in the plan).
  void finish(worker& w, std::size_t s, std::size_t limit);

  std::int64_t position = 0;
  std::int64_t born_ns = 0;
  std::int64_t upto = 0;                           ///< rank below which nothing comes any more
  bool paced = false;                              ///< of what it makes itself
  std::size_t limit_bytes = std::size_t{8} << 20;  ///< of what is collected; set before `start`
  model::key_part* keys = nullptr;                 ///< it has a part of the keys
  std::int64_t worked_ns = 0;                      ///< in the last call of `produce`
  std::int64_t took_ns = 0;                        ///< the same with what the source has waited
  bool eager = false;                              ///< its source never waits
  const std::atomic<bool>* hurry = nullptr;        ///< see `model::context`; of the last part

  // For the monitor, and whoever ends a run: any thread.

  /// When the run of items in hand was begun (steady clock, ns); 0: none is in hand.
  [[nodiscard]] std::int64_t began() const noexcept { return began_.load(std::memory_order_acquire); }
  /// It has more than one item.
  [[nodiscard]] bool has_several() const noexcept { return several_.load(std::memory_order_relaxed); }
  /// The run in hand ends behind the item in hand.
  void cut() noexcept;
  void hand_on() { to_.hand_on(); }

  /// What a measured run has shown: its items, and by stage what each of them took.
  struct measurement {
    std::uint64_t number = 0;  ///< another one for each such run
    std::size_t items = 0;
    std::vector<std::int64_t> ns = {};
  };
  [[nodiscard]] const measurement& measured() const noexcept { return measured_; }

 private:
  class own_context;

  [[nodiscard]] own_context& context(std::size_t component);
  template <class F> void attempt(std::size_t component, F&& f);
  std::size_t carry(worker& w, std::size_t stage, pipe::chunk_base& items, bool may_be_cut,
                    std::int64_t begin);
  [[nodiscard]] std::size_t limit_between() const noexcept;
  template <class F> void call_hook(worker& w, std::size_t stage, bool at_end, F&& hook);
  [[nodiscard]] part part_at(std::size_t stage) const;
  std::int64_t process(worker& w, pipe::chunk_base& items, std::size_t limit, bool may_be_cut);
  std::int64_t begin_run(std::size_t items);
  [[nodiscard]] std::int64_t begin_probe() noexcept;
  [[nodiscard]] std::int64_t probed(std::int64_t ns, std::int64_t clocks) noexcept;
  void end_run(std::size_t items, std::int64_t ns);
  [[nodiscard]] bool is_unlike_probes(std::size_t first, std::size_t last, std::size_t items,
                                      std::int64_t ns) const noexcept;
  // Which runs of items are measured.
  struct rhythm {
    std::uint64_t runs = 0, next = 0;
  };
  [[nodiscard]] bool is_due(rhythm& r) noexcept;
  [[nodiscard]] bool is_looked_into(const part& loop, std::int64_t now) const noexcept;
  void have_looked_into(const part& loop, std::int64_t begin) noexcept;
  [[nodiscard]] bool is_clock_due(std::int64_t now) noexcept;
  void count_clocked(const part& loop, std::int64_t ns, const observe::thread_usage& before) noexcept;
  void hasten(rhythm& r, std::size_t first, std::size_t last, std::size_t items, std::int64_t ns);
  [[nodiscard]] rhythm* loop_at(std::size_t stage) noexcept;
  [[nodiscard]] bool has_hardly_timed_stage(std::size_t first, std::size_t last) const;
  [[nodiscard]] std::uint64_t some() noexcept;
  void flushed(own_context& ctx, std::size_t leaf, pipe::chunk_base& out);
  bool diverted(own_context& ctx, std::size_t leaf, pipe::chunk_base& items);

  graph_engine& net_;
  run_state& run_;
  const std::vector<part>& parts_;
  const std::size_t replica_;
  pipe::chunk_base* const out_;
  output& to_;
  const std::size_t first_, last_;
  thread_log* log_ = nullptr;
  std::vector<std::unique_ptr<own_context>> contexts_;
  std::vector<chunk_ptr> between_;
  std::vector<run_state::stage_ref> timed_;
  bool started_ = false;
  std::size_t limit_ = 1;
  std::int64_t elsewhere_ns_ = 0;
  std::int64_t next_clock_ns_ = 0;  // when the processor's clock may be read again: that is a system call
  std::int64_t ended_ns_ = 0;       // when the last loop came to its end
  std::int64_t last_due_ = 0;       // when the newest item was due that has come here; 0: none has
  std::atomic<bool> cut_{false};
  std::atomic<std::int64_t> began_{0};
  std::atomic<bool> several_{false};
  std::atomic<std::size_t> quota_{0};  // of a source
  // Now and then a run of items goes through stage by stage instead of through the fused loops, so that each
  // stage is timed; the distance grows to `between_measurements` runs. It stays short while a stage has been
  // timed for less than `few_probes` items, since few come to it (behind a window, behind a filter). A source
  // that may wait gives `most_measured` items in such a run, or `most_untimed`.
  static constexpr std::uint64_t between_measurements = 128;
  static constexpr std::uint64_t most_some = 16;
  static constexpr std::uint64_t few_probes = 32;
  static constexpr std::size_t most_measured = 64;
  static constexpr std::size_t most_untimed = 256;
  const bool fused_;
  bool measuring_ = false;  // the run of items in hand, as a whole
  bool probing_ = false;    // it goes on stage by stage from here
  lost_time lost_;          // while a stage is timed by itself
  bool looked_into_ = false;
  rhythm whole_run_;
  std::vector<rhythm> loops_;  // of each part
  std::uint32_t random_ = 0;
  measurement measured_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
