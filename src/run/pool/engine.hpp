#pragma once

#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/idle_set.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "attention.hpp"
#include "fill.hpp"
#include "grant_length.hpp"
#include "partition.hpp"
#include "progress.hpp"
#include "reservation.hpp"
#include "spares.hpp"
#include "tuning.hpp"

namespace thalweg::run_detail::pooled {

// The position of what end hooks send: behind all items.
inline constexpr auto at_the_end = std::numeric_limits<std::int64_t>::max();

class pool_engine;
struct worker;

class pool_context final : public thread_context {
 public:
  pool_context(pool_engine& e, worker& w, run_state& r, thread_log& l, std::size_t c)
      : thread_context(r, l, c), engine_(e), worker_(w) {}
  void flush(std::size_t leaf, pipe::chunk_base& out) override;
  void wait_while_paused() override;

  // What is being executed, for a flush in the middle of it.
  struct place {
    node* at = nullptr;
    std::size_t part = 0;
    std::int64_t seq = 0, position = 0, born_ns = 0;
    int replica = 0;
  };
  place here;

 private:
  pool_engine& engine_;
  worker& worker_;
};

// A context is used again when an operator's output is carried on before the operator has returned.
class saved {
 public:
  explicit saved(pool_context& c)
      : ctx_(c),
        here_(c.here),
        due_(c.due),
        limit_(c.limit),
        limit_bytes_(c.limit_bytes),
        waited_(std::exchange(c.waited_ns, 0)),
        paced_(c.paced),
        sample_(c.sample) {}
  saved(const saved&) = delete;
  saved& operator=(const saved&) = delete;
  ~saved() {
    ctx_.here = here_;
    ctx_.due = due_;
    ctx_.limit = limit_;
    ctx_.limit_bytes = limit_bytes_;
    ctx_.waited_ns += waited_;
    ctx_.paced = paced_;
    ctx_.sample = sample_;
  }

 private:
  pool_context& ctx_;
  pool_context::place here_;
  std::int64_t due_;
  std::size_t limit_, limit_bytes_;
  std::int64_t waited_;
  bool paced_, sample_;
};

// A thread of the run: a worker, which takes whatever is there, or an agent, which executes one node only.
struct worker {
  std::size_t number = 0;
  bool agent = false;
  std::size_t stage = 0;  // an agent's: the first stage of its node
  thread_log* log = nullptr;
  std::vector<std::unique_ptr<pool_context>> contexts;
  spares::at_hand chunks;
  std::uint32_t tick = 0;
  std::int64_t spin_ns = shortest_spin_ns;  // how long it looks for work before it sleeps
  // How long it has been in the middle of calls: carrying on what they sent, or waiting. Not their own time.
  std::int64_t elsewhere_ns = 0;
  /// The serial node whose region this thread is bringing to its end: all that was in it has passed.
  const node* finishing = nullptr;
};

// What a thread does in the middle of a call is not the call's time.
class elsewhere {
 public:
  explicit elsewhere(worker& w) : worker_(w), before_(w.elsewhere_ns) {}
  elsewhere(const elsewhere&) = delete;
  elsewhere& operator=(const elsewhere&) = delete;
  ~elsewhere() { worker_.elsewhere_ns = before_ + observe::now_ns() - began_; }

 private:
  worker& worker_;
  const std::int64_t before_;
  const std::int64_t began_ = observe::now_ns();
};

// The time of a call without what its thread did elsewhere.
class stopwatch {
 public:
  explicit stopwatch(const worker& w, bool runs = true)
      : began(runs ? observe::now_ns() : 0), worker_(w), before_(w.elsewhere_ns) {}
  // Its own time until `now`; begins anew.
  std::int64_t lap(std::int64_t now) {
    const auto away = worker_.elsewhere_ns - std::exchange(before_, worker_.elsewhere_ns);
    return now - std::exchange(began, now) - away;
  }
  std::int64_t began;

 private:
  const worker& worker_;
  std::int64_t before_;
};

// The pool of a run. Each part of it has a file of its own, named in the headings below.
class pool_engine final : public engine {
 public:
  pool_engine(std::unique_ptr<run_state> s, const pool& policy);
  ~pool_engine() override;
  void start(bool on_caller) override;
  void join() override;
  void wake() override;
  void set_replicas(std::string_view name, int n) override;

  // --- what contexts ask for (moving.cpp) ---
  void flush(worker& w, pool_context& ctx, std::size_t leaf, pipe::chunk_base& out);
  void sleep_through_pause(worker& w, pool_context& ctx);

 private:
  // --- threads, and how they find work: downstream first (pool.cpp) ---

  worker& new_worker();
  void spawn_thread(worker& w);
  // One more worker, if there may be one.
  void recruit(worker& by);
  void thread_main(worker& w);
  [[nodiscard]] std::string name_of(const worker& w) const;
  void prepared();
  void work(worker& w);
  bool find_work(worker& w);
  // For a worker that waits in the middle of a call: something to do further down.
  bool help(worker& w, std::size_t behind);
  bool try_node(worker& w, node& n);
  // Is there anything this thread could do? For the last look before it sleeps.
  [[nodiscard]] bool has_work(const worker& w) const;
  // Until there is work: spins, sleeps, and if it is the watcher looks at the chunk being filled.
  void rest(worker& w);
  // Looks for work for a moment. Returns whether there is some.
  [[nodiscard]] bool look_around(worker& w) const;
  // Sleeps until woken, or for a while. Returns whether there is work, or was some.
  bool nap(worker& w);
  // How long this thread may sleep: an agent until its timer, one idle worker until it should look at the
  // chunk being filled, everybody else until woken (-1).
  std::int64_t nap_ns(worker& w);

  // --- layout (layout.cpp) ---

  void lay_out();
  // Whether some stage of the farm that stage `i` is in does: the replicas are executed as a whole.
  [[nodiscard]] bool farm_wants_own_threads(std::size_t i) const;
  void add_agent(std::size_t stage, bool caller);
  // The partition for what the stages are known to cost: one that was there before, if it is the same.
  partition* choose_partition();
  void assign_agents(partition& p);
  void start_stage(std::size_t i, int replica);
  void start_serial_stages();
  void start_own_stages(worker& w);
  void start_farm(const farm_slots* farm, int replica);

  // --- the source (source.cpp) ---

  // Who has set source_busy_; clears it.
  struct holding {
    std::atomic<bool>& flag;
    mutable bool held = true;
    void release() const {
      if (std::exchange(held, false)) flag.store(false, std::memory_order_release);
    }
    ~holding() { release(); }
  };

  bool try_source(worker& w);
  void take_grant(worker& w, partition& p, const holding& busy);
  void plan_next_grant(const partition& p, std::size_t items, std::int64_t took, bool fused_sink);
  // The first item goes through the nodes alone: nothing is known of it, and all others would wait if it went
  // inline. Somebody is called to the source meanwhile, and waits this long for what comes of it.
  [[nodiscard]] std::int64_t first_item_ns() const;
  // Nothing is on its way.
  [[nodiscard]] static bool quiet(const partition& p);
  // What an item costs behind the source: on average, or at its recent highest.
  [[nodiscard]] static double work_behind(const partition& p, std::atomic<double> node::*which);
  // Whether the workers have work behind the source of which nothing is known yet.
  [[nodiscard]] static bool unknown_behind(const partition& p);
  // From now on others may take what `out` holds. Somebody has to watch it, in case the source makes us wait.
  void open(worker& w, pipe::chunk_base& out);
  // What waits in the chunk being filled becomes a chunk of its own: taken by the watcher, or by the filler
  // before it sleeps. Returns whether there was something.
  bool steal(worker& w, bool watcher = true);
  void flush_source(worker& w, pool_context& ctx, node& n, std::size_t stage, pipe::chunk_base& out);
  // The source's thread goes on calling it and leaves the chunk to others, as long as these keep up.
  void push_on(worker& w, node& n, chunk_ptr c);
  // What the end hook of one of the source's own stages sends.
  void send_from_source(worker& w, node& n, chunk_ptr c);
  // The end hooks of the source's own stages, and then the mark behind the last chunk. The caller holds the
  // source.
  bool finish_source(worker& w, partition& p);
  void end_source(worker& w, partition& p, const holding& busy);

  // --- inline: the whole stream as one loop on one worker (inline.cpp) ---

  // Returns true at the end of the stream, false to go on with other workers (`inlining_` is false then) or
  // because the run is held up.
  bool run_inline(worker& w, partition& p);
  // Would more workers make it faster? By an item's time on one worker against what its dearest serial stage,
  // or its share of all workers, would take.
  [[nodiscard]] bool worth_sharing(double per_item, std::int64_t source, std::int64_t rest) const;
  [[nodiscard]] bool samples_explain(double per_item) const;
  // A sampled item is a cold one: what the stages cost together is known better from whole runs of items.
  void scale_costs(double per_item, bool source_waits);

  // --- moving chunks (moving.cpp) ---

  // A number and a charge. For the source: under fill_.lock.
  void number(node& n, pipe::chunk_base& c);
  // Counts a chunk for what it holds now towards the bounds on what is on its way to `d`.
  static void charge(node& d, pipe::chunk_base& c);
  // Takes a chunk from node `n` on as far as it goes.
  void carry(worker& w, node* n, chunk_ptr c);
  void carry_on(worker& w, node& n, chunk_ptr c, int replica, bool fresh);
  // Leaves a chunk to others.
  void hand_over(worker& w, node* n, chunk_ptr c);
  void deposit(worker& w, node& n, chunk_ptr c);
  // Executes what has come to a serial node, if nobody else is at it. Returns whether it did anything.
  bool drain(worker& w, node& n);
  // Sends the items of `c` to the replicas that the farm's schedule names, in runs as long as they have the
  // same one.
  void deal(worker& w, node& n, pipe::chunk_base& c);
  // Sends a chunk from a serial node in the middle of a call, with back pressure.
  void send(worker& w, node& n, chunk_ptr c);
  // Carries a piece of a parallel node's output through the serial node behind it. Whoever has what this
  // waits for is further downstream and never waits for anything upstream of it.
  void deliver(worker& w, node& n, chunk_ptr c);
  void wait_for_room(worker& w, node& n);
  // Waits until what an operator of a parallel node has sent so far may be carried on before it returns:
  // until all before it has passed. Returns false if it has to stay and grow: where what is first in the
  // region wants a replica for a while, for this may be the one that holds it.
  bool wait_for_turn(worker& w, const node& n, std::int64_t seq);
  // Whether the chunk that everything else before the serial node `d` waits for has no replica.
  static bool first_wants_replica(node& d);
  // There is room in front of `n` again: tells a thread of another kind that waits for it. (Workers look for
  // themselves: whoever made the room goes on to the source.)
  void call_upstream(worker& w, const node& n);
  void notify(worker& w, node& n);
  void recruit_for(worker& w, node& n);
  // Runs a chunk through the parts of a node from part `from` on. Returns what comes out; behind a sink, the
  // emptied chunk, which still stands for its place in the order.
  chunk_ptr execute(worker& w, node& n, chunk_ptr c, int replica, std::size_t from);
  // Several workers may learn at once; an average does not mind losing a sample.
  static void learn(node& n, std::size_t items, std::int64_t took);
  // The stage that what comes to a node is counted for.
  [[nodiscard]] std::size_t first_stage(const node& n) const;
  // By how much the chunk just taken had come before its turn, and now and then how many wait for theirs.
  void sample_levels(worker& w, node& n);
  void trace(worker& w, const part& q, std::int64_t begin, std::int64_t took, std::size_t items,
             std::int64_t seq);

  // --- what runs without an item: timers and the end (hooks.cpp) ---

  using hook_call = std::function<void(model::context&, pipe::chunk_base*)>;
  using taker = std::function<void(chunk_ptr)>;

  bool fire_timer(worker& w, node& n);
  // The groups that are due in the replicas of a farm. Such a farm is unordered: they go to the end of the
  // region past all numbers, so the region must not be closed meanwhile.
  bool fire_farm_timers(worker& w, node& n);
  // Calls `f(part, stage, replica)` for each timed stage of a node and each replica that nobody is working
  // in.
  template <class F> void for_each_timer(node& n, F&& f) const;
  [[nodiscard]] std::int64_t deadline(const node& n, std::size_t part, std::size_t stage, int replica) const;
  [[nodiscard]] std::int64_t next_deadline(node& n) const;
  [[nodiscard]] bool is_due(const node& n) const;
  [[nodiscard]] bool is_due_in_farm(node& n) const;
  // The end mark has reached a serial node: see whether it is complete.
  void carry_end(worker& w, node& d);
  // All has come that comes in numbers, and nothing else is on its way: from now on nothing will be.
  [[nodiscard]] static bool close(node& n);
  // All that comes to a serial node has come: the end hooks of the farms before it, then its own.
  void finish_node(worker& w, node& n);
  // The end hooks of all replicas of a farm.
  void finish_replicas(worker& w, node& farm);
  // The same of a farm with threads of its own, on one of them.
  bool finish_own_farm(worker& w, node& n);
  // Calls the end hooks of a node's stages for one replica; `emit` gets what they send, after the node's
  // later stages.
  bool finish_stages(worker& w, node& n, int replica, const taker& emit);
  // Calls a hook of stage `s` in part `i` of a node, which may send without an item; `emit` gets what it
  // sends, after the node's later stages. What it sends in the middle of the call is flushed.
  bool send_from(worker& w, node& n, std::size_t i, std::size_t s, int replica, const hook_call& hook,
                 const taker& emit);
  // Takes what stage `s` sent through the stages behind it in the same part, one by one.
  chunk_ptr behind(pool_context& ctx, const part& q, std::size_t s, int replica, chunk_ptr c);

  // --- what is asked often ---

  [[nodiscard]] bool executes(const worker& w, const node& n) const {
    if (n.agents.empty()) return !w.agent || n.own_farm != nullptr;
    return w.agent && std::find(n.agents.begin(), n.agents.end(), w.number) != n.agents.end();
  }
  [[nodiscard]] bool stopping() const {
    return state_->cancelled.load(std::memory_order_acquire) || done_.load(std::memory_order_acquire);
  }
  // All has come that comes in numbers.
  [[nodiscard]] static bool has_all(const node& n) {
    return n.inbox.next() == n.upstream_end.load(std::memory_order_acquire);
  }
  [[nodiscard]] static bool is_complete(const node& n) {
    return has_all(n) && !n.finished.load(std::memory_order_acquire) &&
           (n.own_farm == nullptr || n.own_farm->finished.load(std::memory_order_acquire));
  }
  // A farm with threads of its own whose end hooks are due.
  [[nodiscard]] static bool is_ending(const node& farm) {
    return !farm.agents.empty() && calls_for_hooks(*farm.region_end);
  }
  [[nodiscard]] static bool calls_for_hooks(const node& n) {
    return n.own_farm != nullptr && has_all(n) && !n.own_farm->busy.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool is_drainable(const node& n) const {
    return (n.inbox.ready() && can_send(n)) || is_complete(n) || calls_for_hooks(n);
  }
  // Whether the region behind `n` has room for what `n` sends.
  [[nodiscard]] static bool can_send(const node& n) {
    if (n.last) return true;
    const auto& d = *n.region_end;
    const auto items = d.items.load(std::memory_order_relaxed);
    return d.inbox.has_room(n.sent.load(std::memory_order_relaxed) + 1) && items < d.most_items &&
           (items == 0 || d.bytes.load(std::memory_order_relaxed) < most_bytes);
  }
  [[nodiscard]] bool source_open() const {
    return !source_ended_.load(std::memory_order_acquire) && !source_busy_.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool ends_in_sink(const part& q) const {
    return state_->stages[q.last()].info->out == nullptr;
  }
  // Where in the source's order the next chunk begins: there is room for the places of its items.
  [[nodiscard]] static std::int64_t position(const node& source) {
    return source.sent.load(std::memory_order_relaxed) * static_cast<std::int64_t>(longest_grant);
  }
  // Of an item of a chunk. (Where a farm has made more of them than there are places, some share the last.)
  [[nodiscard]] static std::int64_t position(const pipe::chunk_base& c, std::size_t item) {
    if (c.position >= at_the_end) return c.position;
    return c.position + static_cast<std::int64_t>(std::min(item, longest_grant - 1));
  }

  pool policy_;
  int workers_ = 1;

  // Layout.
  std::vector<std::unique_ptr<farm_slots>> farms_;
  std::vector<farm_slots*> farm_of_stage_;
  std::vector<std::unique_ptr<worker>> agents_;
  worker* caller_agent_ = nullptr;
  std::vector<std::size_t> caller_stages_;
  std::vector<std::unique_ptr<partition>> partitions_;
  std::atomic<partition*> current_{nullptr};
  spares chunks_{*state_};

  // Threads.
  std::mutex spawning_;
  std::mutex joining_;
  std::vector<std::unique_ptr<worker>> workers_list_;
  std::vector<std::thread> threads_;
  std::atomic<int> spawned_{0};
  int alive_ = 0;
  bool caller_is_worker_ = false;
  bool caller_owed_ = false;
  std::atomic<bool> prepared_{false};
  std::atomic<bool> done_{false};
  std::unique_ptr<pipe::idle_set> idle_;
  std::unique_ptr<pipe::idle_set> idle_agents_;

  // The source. Whoever has set source_busy_ may call it and use the plain members here.
  alignas(128) std::atomic<bool> source_busy_{false};
  std::atomic<bool> source_ended_{false};
  std::atomic<bool> want_inline_{false};
  reservation reserved_;
  std::atomic<bool> starting_{false};  // the first item is not through yet
  std::atomic<std::int64_t> started_ns_{0};
  bool can_inline_ = false;
  bool inlining_ = false;
  bool inline_prepared_ = false;
  std::size_t inline_run_ = 1;
  std::int64_t inline_position_ = 0;
  grant_length grant_{state_->stages.front().info->source.eager};
  int cheap_grants_ = 0;
  int patience_ = grants_before_inline;
  attention attention_;
  bool slow_source_ = false;
  std::int64_t flushed_ns_ = 0;
  std::vector<double> cost_ns_;

  alignas(128) fill fill_;
  alignas(128) progress progress_;
};

}  // namespace thalweg::run_detail::pooled
