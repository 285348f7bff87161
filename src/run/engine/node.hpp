#pragma once

#include <thalweg/pipe/cache_line.hpp>
#include <thalweg/pipe/patience.hpp>
#include <thalweg/run/engine.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "../tuning.hpp"
#include "channel.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

class graph_engine;
class node;
class worker_group;
class whole_line;

/// A thread while it executes nodes.
struct worker {
  worker(worker_group& s, thread_log& l) : home(s), log(l) {}
  worker_group& home;
  thread_log& log;
  int depth = 0;              ///< of nodes executed in the middle of others
  bool soon = false;          ///< it is about to look for work: the node in hand is through
  pipe::patience awake = {};  ///< before it sleeps
  /// Nodes that have nothing to do, but whose senders may be about to lend them something: while the thread
  /// has nothing else to do it looks, which spares the senders a wake-up for each item.
  std::vector<node*> polling = {};
  /// The edges for whose room it waits in the middle of calls, one inside the other.
  std::vector<channel*> waits_for = {};
};

/// A strongly connected part of the graph, which ends as a whole: when nothing comes from outside any more
/// and nothing is inside.
struct loop {
  std::vector<node*> nodes;             ///< in the order in which their end hooks are called
  std::vector<channel*> entries;        ///< from outside
  std::atomic<std::int64_t> inside{0};  ///< items in it, waiting or being worked on
  std::atomic<std::size_t> ended{0};    ///< how many of the nodes have ended
  std::int64_t limit = std::int64_t{1} << 20;
  std::int64_t credit = 1024;  ///< items enter from outside while there are fewer inside

  /// Nothing is inside, and nothing will come from outside.
  [[nodiscard]] bool empty() const noexcept;
  /// Something has left it, or will not come: the next node may be about to end.
  void left(worker* w);
};

/// Where a node puts what it sends: a chunk that is being filled, and the channel that it goes to.
struct outlet {
  channel* to = nullptr;  ///< null: nobody takes it
  chunk_ptr filling;
};

/// What is executed as one: a line of stages, a replica of a farm, the partitioner of one with keys or one of
/// its partitions, a `tw::stage`. It is scheduled when it has something to do, and executed by one thread at
/// a time, for one run of items.
class node {
 public:
  /// For stages [first, last) of the plan.
  node(graph_engine& n, std::size_t first, std::size_t last) : net_(n), first_(first), last_(last) {}
  node(const node&) = delete;
  node& operator=(const node&) = delete;
  virtual ~node() = default;

  /// Whether `execute` would do something. If only room is missing it asks to be notified.
  [[nodiscard]] virtual bool ready() = 0;
  /// Works for a bounded time. What operators throw ends the run and comes out as `cancelled`.
  virtual void execute(worker& w) = 0;
  /// When it wants to be notified at the latest (steady clock, ns).
  [[nodiscard]] virtual std::int64_t deadline() const { return never; }
  /// It may have a deadline, though none of its stages is timed. Before it is connected.
  [[nodiscard]] virtual bool may_rest() const { return false; }
  /// It has been waiting for an input while another one, which it does not read, may be full.
  [[nodiscard]] virtual bool chooses() const { return false; }
  /// Nothing is in it, or on its way to it; while nothing is sent to it this holds. Looked at in this order:
  /// first what waits, then whether it sleeps, then what it keeps.
  [[nodiscard]] virtual bool quiet() const;
  /// It waits for something from outside the graph.
  [[nodiscard]] virtual bool waits_outside() const { return false; }
  /// Somebody outside the graph may put items in, or take some out.
  [[nodiscard]] virtual bool has_doors() const { return false; }
  /// Where items wait for it, and where it waits for items; empty: nothing waits. Any thread.
  [[nodiscard]] virtual std::string what_waits() const;
  /// Items wait for it, and it for items that only its own loop can give. Any thread.
  [[nodiscard]] virtual bool waits_for_its_loop() const { return false; }
  /// It has something to do without items.
  [[nodiscard]] virtual bool begins() const { return in.empty(); }
  /// It is a source that may be waiting for the outside.
  [[nodiscard]] virtual bool sources() const { return false; }
  /// It is a source whose calls wait long enough for another thread to be called meanwhile. Any thread.
  [[nodiscard]] virtual bool calls_wait() const noexcept { return false; }
  /// How much work waits for it, in ns: `never` where that is not known, and for a source. Any thread.
  [[nodiscard]] std::int64_t waiting_ns() const noexcept;
  /// Where what happens at its inputs and outputs is counted, by stage; empty: nowhere yet.
  [[nodiscard]] virtual std::span<observe::stage_counters> counters() { return {}; }

  /// The run goes on after a pause, or is to end.
  virtual void resumed() {
    if (sources()) notify();
  }
  /// No thread executes nodes any more.
  virtual void run_over() {}

  /// Something that it may have waited for has changed. Any thread; `w`: the caller's, if it is executing.
  virtual void notify(worker* w = nullptr);
  [[nodiscard]] bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }

  // For schedulers.

  /// Becomes the calling thread's to execute. Returns false if it does not wait for that.
  [[nodiscard]] bool claim() noexcept;
  /// After `execute`, by that thread: waits to be executed again, or sleeps.
  void release(worker& w);
  [[nodiscard]] bool asleep() const noexcept { return state_.load(std::memory_order_acquire) == state::idle; }
  /// It waits for a thread.
  [[nodiscard]] bool is_queued() const noexcept {
    return state_.load(std::memory_order_acquire) == state::queued;
  }
  /// Whether it would take items from this input if it were executed, as far as can be told from outside. Any
  /// thread.
  [[nodiscard]] virtual bool wants(std::size_t port) const noexcept { return (void)port, true; }
  /// Whether somebody is free to take items from this input at once.
  [[nodiscard]] virtual bool hungry(std::size_t port) const noexcept {
    return asleep() && deep_.load(std::memory_order_relaxed) && wants(port);
  }
  /// The thread that executed it last will not look any more whether something is lent to it: senders that
  /// lend notify it from now on. Returns whether it has something to do already: one of the two sees the
  /// other. `next`: what that thread executes now, if anything.
  [[nodiscard]] bool fall_asleep(const node* next = nullptr);
  /// Something is lent to it, and there is room behind it. Any thread.
  [[nodiscard]] bool could_borrow() const;

  // Set by the layout.

  std::vector<channel*> in;
  std::vector<outlet> out;
  worker_group* home = nullptr;
  loop* in_loop = nullptr;
  std::size_t place_in_loop = 0;
  /// Along the stream, from 1: what it sends goes to nodes of higher places; in a loop, of the same place.
  std::size_t place = 1;
  bool any_output_will_do = false;  ///< one with room
  bool timed = false;               ///< its threads notify it when its deadline has come
  bool paced = false;               ///< a paced source is upstream
  bool gives_ranks = false;         ///< a split whose branches an ordered merge puts together again
  whole_line* part_of = nullptr;    ///< the line that may be executed as one loop, behind its first node

  [[nodiscard]] std::size_t first() const noexcept { return first_; }
  [[nodiscard]] std::size_t last() const noexcept { return last_; }
  /// Whether it may take an item from this input: from outside a loop only while fewer than `credit` are
  /// inside.
  [[nodiscard]] bool may_take(std::size_t port) const;
  [[nodiscard]] bool outputs_have_room() const;
  /// Puts what an outlet holds into its channel.
  void hand_over(worker* w, outlet& o);
  /// What an item costs, in ns; 0: not known.
  [[nodiscard]] double cost_ns() const noexcept { return cost_ns_.load(std::memory_order_relaxed); }
  /// How many items it has worked on.
  [[nodiscard]] std::uint64_t items_done() const noexcept {
    return items_done_.load(std::memory_order_relaxed);
  }
  /// All the work it has done.
  [[nodiscard]] std::int64_t worked_ns() const noexcept { return worked_ns_.load(std::memory_order_relaxed); }
  /// A thread has waited in the middle of one of its calls for room.
  void waited_for_room(std::int64_t ns);

 protected:
  [[nodiscard]] bool ask_for_room();
  /// It sends to these outlets from now on.
  void send_to(const std::vector<outlet>& to) noexcept { sends_to_.store(&to); }
  /// How many items to collect in an output before they are handed over.
  [[nodiscard]] static std::size_t limit_of(const outlet& o);
  [[nodiscard]] bool inputs_ended() const;
  /// Takes items from an input, and tells the sender that there is room. `in_hand`: they count as waiting
  /// until they are `done`.
  [[nodiscard]] chunk_ptr take(worker& w, std::size_t port, chunk_ptr back, bool in_hand = false);
  void done(worker& w, std::size_t port, std::size_t items);
  /// So many items have taken so many ns: how many to take at once, which the senders are told.
  /// `cut`: they have become expensive, nobody knows how much.
  void learn(std::size_t items, std::int64_t ns, bool cut = false);
  [[nodiscard]] double behind_ns(std::size_t items);
  /// Items have been worked on, and what has become of them handed over.
  void leave_loop(worker* w, std::int64_t n);
  void end(worker& w);

  graph_engine& net_;
  const std::size_t first_, last_;
  std::size_t most_items_ = 1;                       // to take at once
  std::size_t least_items_ = 1;                      // also where there are more takers than runs
  std::atomic<std::size_t> take_most_{longest_run};  // whatever they cost

 private:
  enum class state : std::uint8_t { idle, queued, running, again };
  std::atomic<state> state_{state::idle};
  std::atomic<bool> ended_{false};
  std::atomic<bool> deep_{true};
  std::atomic<const std::vector<outlet>*> sends_to_{&out};
  std::atomic<double> cost_ns_{0};
  std::atomic<std::int64_t> worked_ns_{0};
  std::atomic<std::uint64_t> items_done_{0};
  double taken_ = 0;  // items, as `channel::pushed` counts them
  void count_waiting(std::int64_t now);
  // Since when it has nothing to do, and whether that is for want of room; whoever executes it.
  std::int64_t rests_since_ = 0;
  bool wants_room_ = false;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
