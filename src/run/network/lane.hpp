#pragma once

#include <thalweg/run/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../parts.hpp"
#include "edge.hpp"

namespace thalweg::run_detail::network {

class net;
struct worker;

/// One replica's operators of a line of stages: runs of items go through its parts, one after the other.
class lane {
 public:
  /// Who takes what the last part has put into its output.
  class owner {
   public:
    virtual ~owner() = default;
    /// In the middle of a call: whether more may be collected.
    [[nodiscard]] virtual bool collects() = 0;
    /// Takes it; in the middle of a call (`in_call`) it may have to wait.
    virtual void give(worker& w, bool in_call) = 0;
  };

  /// Items come out in `out` (null if the last stage is a sink).
  lane(net& n, const std::vector<part>& parts, std::size_t replica, pipe::chunk_base* out, owner& to);
  ~lane();

  /// Makes the operators and calls their start hooks, if that has not been done.
  void start(worker& w);
  /// Runs the items through all parts. Returns the time that was worked.
  std::int64_t process(worker& w, pipe::chunk_base& items, std::size_t limit);
  /// Calls the source, the first stage, for up to `n` items.
  model::produced produce(worker& w, std::size_t n, std::size_t limit);
  /// Calls what is due.
  void fire_timers(worker& w, std::size_t limit);
  [[nodiscard]] std::int64_t deadline() const;
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

 private:
  class own_context;

  [[nodiscard]] own_context& context(std::size_t component);
  template <class F> void attempt(std::size_t component, F&& f);
  void carry(worker& w, std::size_t stage, pipe::chunk_base& items);
  template <class F> void call_hook(worker& w, std::size_t stage, bool at_end, F&& hook);
  [[nodiscard]] part part_at(std::size_t stage) const;
  void flushed(own_context& ctx, std::size_t leaf, pipe::chunk_base& out);

  net& net_;
  run_state& run_;
  const std::vector<part>& parts_;
  const std::size_t replica_;
  pipe::chunk_base* const out_;
  owner& to_;
  const std::size_t first_, last_;
  thread_log* log_ = nullptr;
  std::vector<std::unique_ptr<own_context>> contexts_;
  std::vector<chunk_ptr> between_;
  std::vector<run_state::stage_ref> timed_;
  bool started_ = false;
  std::size_t limit_ = 1;
  std::int64_t elsewhere_ns_ = 0;
  std::uint64_t ticks_ = 0;
};

}  // namespace thalweg::run_detail::network
