#pragma once

#include <thalweg/model/gate.hpp>
#include <thalweg/model/ported.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "graph_engine.hpp"
#include "node.hpp"
#include "stage_runner.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

/// A line of serial stages with one input and one output, at most. Where it is the first node of a line that
/// may be one loop, it executes that loop in place of all nodes of the line while this is faster.
class line_node final : public node, public stage_runner::output {
 public:
  line_node(graph_engine& n, std::vector<part> parts);
  ~line_node() override;

  [[nodiscard]] bool ready() override;
  void execute(worker& w) override;
  [[nodiscard]] std::int64_t deadline() const override {
    return timed_ && stages_ ? stages_->deadline() : never;
  }
  [[nodiscard]] bool sources() const override { return is_source_; }
  [[nodiscard]] bool calls_wait() const noexcept override {
    return calls_wait_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool begins() const override { return is_source_ || timed_; }
  [[nodiscard]] std::span<observe::stage_counters> counters() override;
  [[nodiscard]] bool quiet() const override { return node::quiet() && !keeps_.load(); }

  /// Set by the layout, if all stages of the component may be executed as one loop.
  std::unique_ptr<whole_line> whole;

 private:
  friend class whole_line;
  void prepare(worker& w);
  void produce(worker& w);
  void take_items(worker& w);
  [[nodiscard]] bool collects(std::size_t bytes) override;
  void give(worker& w, bool in_call) override;
  void hand_on() override;
  [[nodiscard]] bool may_leave(const stage_runner& from) const;
  [[nodiscard]] bool can_divert(const stage_runner& from, std::size_t stage) const override;
  [[nodiscard]] bool can_divert_behind(const stage_runner& from, std::size_t stage) const override;
  void hand_to(worker& w, channel& e, pipe::chunk_base& items);
  void divert(const stage_runner& from, worker& w, std::size_t stage, pipe::chunk_base& items) override;
  void finish(worker& w);
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] bool collects_long() const;
  void use(stage_runner& runner, outlet* to, const std::vector<outlet>& room);
  void stop_lending();
  [[nodiscard]] bool keeps_instead_of_waiting() const;

  const std::vector<part> parts_;
  const bool is_source_;
  const bool timed_;  // one of its stages acts when time has passed
  std::unique_ptr<stage_runner> stages_;
  stage_runner* runner_ = nullptr;            // that of these stages, or of the whole line
  outlet* outlet_ = nullptr;                  // where it sends to; null: it is a sink
  std::atomic<outlet*> lending_to_{nullptr};  // the same, where the monitor may hand on what lies in it
  chunk_ptr back_;
  chunk_ptr rest_;                  // of a run of items that was cut short
  std::atomic<bool> keeps_{false};  // it has one, or is working on one
  bool source_ended_ = false;
  bool eager_ = false;
  bool lends_ = false;  // the source may wait in any call: the receiver may take what it has given
  std::size_t run_length_ = 1;
  std::size_t longest_filling_ = 1;
  double usual_call_ns_ = 0;  // of the source, on average
  std::atomic<bool> calls_wait_{false};
  std::size_t streak_ = 0;            // items that came quickly, one after the other
  std::int64_t made_ = 0, sent_ = 0;  // items of the source, and what has come of them
};

struct part_placement;

/// A farm of either kind, for those who change its replicas.
class replicated {
 public:
  virtual ~replicated() = default;
  [[nodiscard]] std::size_t replicas() const noexcept { return limit_.load(std::memory_order_acquire); }
  /// How many replicas there may be at most.
  [[nodiscard]] virtual std::size_t most() const noexcept = 0;
  virtual void set_replicas(std::size_t n) = 0;
  /// Who executes them.
  [[nodiscard]] virtual worker_group* home() const noexcept = 0;

  // For `overcommit`, which decides how many there are.

  [[nodiscard]] virtual bool items_wait() const noexcept = 0;
  /// None of its replicas has nothing to do.
  [[nodiscard]] bool all_work() const noexcept { return at_work() >= replicas(); }
  /// How many have something to do.
  [[nodiscard]] virtual std::size_t at_work() const noexcept = 0;
  /// The threads of this group execute replicas.
  [[nodiscard]] virtual bool works_with(const worker_group& g) const noexcept { return home() == &g; }
  /// The user has said how many, in the middle of the run.
  bool sized_by_user = false;  // under `resizing_` of the engine

 protected:
  explicit replicated(std::size_t n) : limit_(n) {}

  std::atomic<std::size_t> limit_;
};

/// What the replicas of a farm share.
class farm final : public replicated {
 public:
  farm(graph_engine& n, std::vector<part> parts, std::size_t replicas, std::size_t most,
       const model::stage_info& info);
  ~farm() override;

  class replica;  // a replica

  [[nodiscard]] std::size_t most() const noexcept override { return all.size(); }
  void set_replicas(std::size_t n) override;
  [[nodiscard]] worker_group* home() const noexcept override;
  [[nodiscard]] bool items_wait() const noexcept override;
  [[nodiscard]] std::size_t at_work() const noexcept override;
  [[nodiscard]] bool works_with(const worker_group& g) const noexcept override;
  /// To be called when edges or replicas have changed.
  void bound_runs();

  std::vector<std::unique_ptr<replica>> all;  ///< all there may be; the first one stands for the farm
  /// Others restore the order: what becomes of a run of items goes on at once, as one run, with its number.
  bool numbered = false;
  /// Each replica has a thread of its own.
  bool own_threads = false;
  /// Of several ranks, this one has replicas, or has had some: others have all of them as the run begins.
  std::atomic<bool> used_here{true};
  [[nodiscard]] bool ordered() const noexcept { return ordered_; }
  /// A replica that waits for its turn in the middle of a call is about to go on.
  [[nodiscard]] bool turn_has_come() const noexcept;
  static constexpr std::int64_t window = 64;

 private:
  // A run of items, its number, and what has come of it so far.
  //
  // A replica that is held up by expensive items has its run cut short: what is left of it is a piece of its
  // own then, for whoever is idle. The pieces of a run are in the order of its items.
  struct result {
    chunk_ptr items;
    std::int64_t bytes;
  };
  struct piece {
    std::uint64_t id;
    chunk_ptr waiting = {};  // items that nobody works on
    std::vector<result> results = {};
    bool done = false;
  };
  struct batch {
    std::int64_t seq = 0;
    std::int64_t number = 0;  // that which it came with
    std::size_t items = 0;
    std::int64_t upto = 0;
    bool early = false;  // it has come before its turn
    bool used = false;
    // How many items of what is left of it a replica takes: one at first, as nobody knows how expensive they
    // are, and twice as many whenever that was quickly done.
    std::size_t piece_items = 1;
    std::list<piece> pieces;
  };

  [[nodiscard]] bool deals() const noexcept { return dealing_.how() != schedule::kind::on_demand; }
  [[nodiscard]] std::size_t target(run_state& run, const pipe::chunk_base& items, std::size_t i) const;
  [[nodiscard]] bool is_full() const noexcept;
  [[nodiscard]] bool in_any_order() const noexcept;
  /// For a piece of a run: ids begin with 1.
  [[nodiscard]] std::uint64_t new_id() noexcept { return ++last_id_; }
  void note_first() noexcept;
  void keep(piece& p, chunk_ptr results);
  [[nodiscard]] batch& new_slot();
  [[nodiscard]] batch& slot(std::int64_t seq) { return slots_[static_cast<std::size_t>(seq % window)]; }

  const std::vector<part> parts_;
  const bool ordered_;
  const schedule dealing_;
  std::atomic<std::int64_t> next_seq_{0}, next_out_{0};
  std::atomic<int> next_target_{
      -1};               // whose turn it is to take items, where they are dealt out; -1: anybody's
  pipe::spinlock lock_;  // what follows, and the output
  std::vector<batch> slots_;
  std::uint64_t last_id_ = 0;
  std::atomic<std::uint64_t> first_id_{0};  // of the piece whose turn it is; 0: there is none
  std::atomic<std::size_t> waiting_pieces_{0};
  chunk_ptr dealt_;  // what is left of a run of items that is being dealt out
  std::int64_t count_ = 0;
  std::size_t early_ = 0;                    // runs that wait for an earlier one
  std::atomic<std::int64_t> kept_bytes_{0};  // of results that wait for their turn, or for room
  thread_log* order_log_ = nullptr;          // of the stage behind the farm
  std::atomic<bool> ending_{false};
  // Whose end hook is next: of which stage, and which replica.
  // A thread that executes another replica passes the turn on.
  std::size_t end_stage_ = 0, end_replica_ = 0;
  std::size_t there_ = 0;  // of replicas with own threads: as many have been there, whatever is changed now
  std::atomic<int> end_turn_{-1};
  std::atomic<bool> stalled_{false};  // what is next has found no room
  std::atomic<int> firing_{0};        // replicas whose timers are being called
};

class farm::replica final : public node, public stage_runner::output {
 public:
  replica(farm& f, graph_engine& n, std::size_t first, std::size_t last, std::size_t number);
  ~replica() override;

  [[nodiscard]] bool ready() override;
  void execute(worker& w) override;
  void notify(worker* w = nullptr) override;
  [[nodiscard]] bool wants(std::size_t port) const noexcept override;
  [[nodiscard]] bool hungry(std::size_t port) const noexcept override;
  [[nodiscard]] std::int64_t deadline() const override;
  [[nodiscard]] std::span<observe::stage_counters> counters() override;
  /// Of the farm as a whole.
  [[nodiscard]] bool quiet() const override;

 private:
  friend class farm;
  void prepare(worker& w);
  void begin(std::int64_t number, std::int64_t upto, std::size_t items);
  [[nodiscard]] chunk_ptr take_piece();
  [[nodiscard]] chunk_ptr take_mine(worker& w);
  void put_back(worker& w, chunk_ptr rest);
  void begin_output(const pipe::chunk_base& items);
  [[nodiscard]] chunk_ptr new_output(std::int64_t upto) const;
  /// One run becomes one run where others restore the order: it may grow.
  [[nodiscard]] bool collects(std::size_t) override { return farm_.numbered && mine_ != nullptr; }
  void give(worker& w, bool in_call) override;
  void hand_on() override;
  void give_numbered(worker& w, bool in_call);
  void drain(worker& w);
  void wait_for_turn(worker& w);
  [[nodiscard]] bool my_turn() const noexcept { return farm_.first_id_.load() == piece_->id; }
  void count_order();
  void end_run(worker& w);
  void send_results(worker* w);
  void finish(worker& w);
  void finish_next(worker& w);
  [[nodiscard]] bool all_done() const;
  [[nodiscard]] replica& first_replica() const noexcept { return *farm_.all.front(); }

  farm& farm_;
  const std::size_t number_;
  std::atomic<bool> busy_{
      false};  // the stage_runner is being used: at the end another replica calls its hooks
  std::unique_ptr<stage_runner> stages_;
  std::atomic<stage_runner*> counted_{nullptr};  // the same, once it has begun
  std::atomic<std::int64_t> deadline_;
  chunk_ptr filling_;
  chunk_ptr back_;
  batch* mine_ = nullptr;
  std::list<piece>::iterator piece_;          // of it, if there is one
  bool fresh_ = false;                        // its items have not been in hand before
  std::atomic<std::uint64_t> waits_with_{0};  // the piece with which it waits for its turn; 0: it does not
  bool ending_now_ = false;
};

/// A farm whose first stage has state for each key. The keys are divided up into parts, more than there are
/// replicas: each part has operators of its own and is a node that works on its items in order. A run of
/// items is divided into one for each part, and what comes of them is put together again, or, unordered, goes
/// on part by part. Where results depend on time all parts are told how far it has come, with each run of
/// items or without any. Timers of the stages that follow are called in the same way.
///
/// Over several ranks the partitioner is a coordinator, which divides the items up among ranks; there a
/// remote partitioner divides what comes from the coordinator among parts. Farms that deal their items out,
/// or lie in a loop, are executed in the same way then: a part is a replica.
class keyed_farm final : public replicated {
 public:
  keyed_farm(graph_engine& n, std::vector<part> parts, std::size_t replicas, const model::stage_info& info);
  /// Over several ranks: its partitions are where `over` says.
  keyed_farm(graph_engine& n, std::vector<part> parts, const model::stage_info& info,
             std::unique_ptr<part_placement> over);
  ~keyed_farm() override;

  class partitioner;         // takes the items, and sends the results
  class partition;           // works on one part of the items
  class coordinator;         // a partitioner whose parts are on several ranks
  class remote_partitioner;  // stands for the coordinator on one of these

  static constexpr std::size_t partition_count = 32;

  [[nodiscard]] std::size_t most() const noexcept override { return over_ ? partition_count : all.size(); }
  /// How many partitions may be worked on at once.
  void set_replicas(std::size_t n) override;
  [[nodiscard]] worker_group* home() const noexcept override;
  [[nodiscard]] bool items_wait() const noexcept override;
  [[nodiscard]] std::size_t at_work() const noexcept override { return active_.load(); }
  /// The parts of such a farm on the rank whose number among its places is `place`.
  [[nodiscard]] std::unique_ptr<keyed_farm> make_remote_partitioner(graph_engine& n,
                                                                    const model::stage_info& info,
                                                                    std::size_t place) const;
  /// Null: it is on one rank.
  [[nodiscard]] part_placement* over() const noexcept { return over_.get(); }
  /// Of such a farm, its parts on this rank; null: there are none.
  keyed_farm* here = nullptr;

  std::unique_ptr<partitioner> front;
  std::vector<std::unique_ptr<partition>> all;

 private:
  static constexpr std::int64_t most_runs = 16;

  // A run of items and what has come of it.
  struct batch {
    std::int64_t number = 0;
    std::size_t items = 0;
    std::int64_t first = 0;  // rank of its first item
    std::int64_t position = 0, born_ns = 0, upto = 0;
    bool paced = false, ranked = false;
    std::vector<pipe::mark> marks;
    std::vector<std::uint8_t> who;
    std::vector<chunk_ptr> in, out;          // by part
    std::int64_t divided_ns = 0;             // what it took to divide it up
    std::atomic<std::int64_t> worked_ns{0};  // and the work of all parts
    std::atomic<std::size_t> pending{0};
    std::atomic<std::uint32_t> fresh{0};  // unordered: the parts whose results are to be sent
    // Where results depend on time.
    std::vector<model::moment> moments;
    std::vector<chunk_ptr> late;                              // by part
    std::vector<std::vector<model::key_part::place>> places;  // by part
    // Over several ranks: of each item its part among those of its rank, and its place in the run. By rank;
    // of a remote partitioner those of its rank.
    std::vector<std::vector<std::uint8_t>> who_there;
    std::vector<std::vector<std::uint32_t>> index;
  };

  /// Works on one part of each run of items.
  class partition_worker {
   public:
    partition_worker() = default;
    partition_worker(const partition_worker&) = delete;
    partition_worker& operator=(const partition_worker&) = delete;
    virtual ~partition_worker() = default;
    /// There is something for it in a run of items.
    virtual void add_work(worker& w, batch& b) = 0;

    std::atomic<std::int64_t> deadline_{never};  // of its windows
    std::atomic<std::int64_t> timer_{never};     // of the stages behind
  };

  keyed_farm(graph_engine& n, std::vector<part> parts, std::size_t replicas, const model::stage_info& info,
             bool near);
  void add_partitions(graph_engine& n, std::size_t count);
  [[nodiscard]] bool begin_one() noexcept;
  void next_one(worker& w);
  [[nodiscard]] batch& batch_at(std::int64_t k) { return batches_[static_cast<std::size_t>(k % most_runs)]; }
  void mark_as_sent(batch& b, pipe::chunk_base& results, std::size_t from,
                    const std::vector<model::key_part::place>& places) const;

  const std::vector<part> parts_;
  const bool keyed_;
  const bool watermarked_, timed_, hears_silence_;
  const bool timers_;  // of stages behind the first; without keys of any
  const bool gives_;   // the last stage is no sink
  bool ordered_;
  bool apart_ = false;  // it is that of a remote partitioner: the coordinator sends the results
  std::unique_ptr<part_placement> over_;
  std::vector<partition_worker*> partition_workers_;  // those who work on parts: here, or on other ranks
  std::atomic<std::size_t> in_use_{0};  // of all partitions so many, the first ones, have had something to do
  std::atomic<std::size_t> active_{0};  // parts that are being worked on
  std::array<batch, most_runs> batches_;
  std::atomic<std::int64_t> next_in_{0}, next_out_{0};
};

class keyed_farm::partitioner : public node {
 public:
  partitioner(keyed_farm& f, graph_engine& n, std::size_t first, std::size_t last);
  /// What waits in front of the farm, and how long it has nothing to divide.
  [[nodiscard]] std::span<observe::stage_counters> counters() override {
    return log_ != nullptr ? log_->span(first_, 1) : std::span<observe::stage_counters>{};
  }
  [[nodiscard]] bool wants(std::size_t) const noexcept override { return has_place(); }
  [[nodiscard]] bool ready() override;
  void execute(worker& w) override;
  /// An empty run of results.
  [[nodiscard]] chunk_ptr new_output() const;
  /// When time alone makes results.
  [[nodiscard]] std::int64_t deadline() const override;

 protected:
  using places = std::vector<model::key_part::place>;

  [[nodiscard]] bool first_is_done() const;
  [[nodiscard]] bool drained() const;
  [[nodiscard]] bool has_place() const noexcept;  // for another run of items
  /// A run of items is about to be divided: `like` is one of its kind.
  void prepare(batch& b, const pipe::chunk_base& like);
  void start(worker& w, batch& b);
  /// Moves the items to their parts.
  virtual void split(pipe::chunk_base& items, batch& b);
  /// Calls the end hooks of a stage in all parts. What they send is put into `sent`, and where it belongs
  /// into `at`, by part.
  void end_stage(worker& w, std::size_t stage, std::vector<chunk_ptr>& sent, std::vector<places>& at);
  /// Sends that in the order in which the keys appeared.
  void send_last(worker& w, std::size_t stage, const std::vector<chunk_ptr>& sent,
                 const std::vector<places>& at);
  void end_all(worker& w);
  virtual void finish(worker& w);
  /// Puts the places of results that depend on time into order: into `line_`, and whose they are into
  /// `order_`.
  void line_up(const std::vector<places>& all);

  keyed_farm& farm_;
  places line_;
  std::vector<std::uint8_t> order_;
  std::vector<pipe::mark> marks_;  // of the results, in that order

 private:
  [[nodiscard]] bool has_fresh() const;
  void send_fresh(worker& w);
  void send_part(worker& w, batch& b, std::size_t part);
  void promise(worker& w, std::int64_t upto);
  void divide(worker& w);
  void tell_time(worker& w);
  void give_late(batch& b);
  void unite(worker& w);

  thread_log* log_ = nullptr;
  chunk_ptr back_;
  std::int64_t count_ = 0;
  std::int64_t position_ = 0, upto_ = 0;
  std::atomic<std::int64_t> told_{-1};  // the last run of items that was made to tell the time
  model::stream_clock clock_;           // of all items
  std::atomic<std::int64_t> silent_at_{never};
  pipe::mark last_mark_{};  // of the last item
};

class keyed_farm::partition final : public node, public stage_runner::output, public partition_worker {
 public:
  partition(keyed_farm& f, graph_engine& n, std::size_t first, std::size_t last, std::size_t number);
  ~partition() override;
  [[nodiscard]] bool ready() override;
  void execute(worker& w) override;
  void add_work(worker& w, batch& b) override;

 private:
  friend class partitioner;
  friend class keyed_farm;
  void prepare(worker& w);
  [[nodiscard]] bool has_work() const noexcept;
  [[nodiscard]] bool collects(std::size_t) override { return true; }
  void give(worker&, bool) override {}
  void put_results(batch& b, std::size_t of_timers);
  void put_states(worker& w, pipe::chunk_base& from);
  [[nodiscard]] chunk_ptr take_states();

  /// The runs of items with something for it, by how many there were: those from `taken_` on wait.
  std::array<batch*, most_runs> to_do_{};
  std::atomic<std::int64_t> given_{0}, taken_{0};
  model::key_part part_;

  keyed_farm& farm_;
  const std::size_t number_;
  std::unique_ptr<stage_runner> stages_;
  chunk_ptr filling_;
};

/// A `tw::stage`.
class port_node final : public node, private model::bell::listener {
 public:
  port_node(graph_engine& n, std::size_t component, std::size_t stage, model::ported& ports);
  ~port_node() override;

  [[nodiscard]] std::span<observe::stage_counters> counters() override {
    return log_ ? log_->span(first_, 1) : std::span<observe::stage_counters>{};
  }
  [[nodiscard]] bool ready() override;
  void execute(worker& w) override;
  [[nodiscard]] bool begins() const override { return true; }
  [[nodiscard]] bool chooses() const override { return ports_.chooses() && !in.empty(); }
  [[nodiscard]] bool sources() const override { return in.empty(); }
  [[nodiscard]] bool may_rest() const override { return ports_.inputs().empty(); }
  [[nodiscard]] std::int64_t deadline() const override {
    return rests_until_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool wants(std::size_t port) const noexcept override {
    return port >= 64 || (unread_.load(std::memory_order_relaxed) >> port & 1) == 0;
  }
  [[nodiscard]] bool waits_outside() const override { return kept_open() && gateway_->waits_outside(); }
  [[nodiscard]] bool has_doors() const override;
  [[nodiscard]] std::string what_waits() const override;
  [[nodiscard]] bool waits_for_its_loop() const override;
  void resumed() override;
  void run_over() override;

 private:
  class own_context;

  void rung() override;
  /// Items may still come in from outside the graph.
  [[nodiscard]] bool kept_open() const { return gateway_ != nullptr && gateway_->kept_open(); }

  void prepare(worker& w);
  void attach(bool paced_items, bool ranked_items);
  bool deliver(worker& w);
  bool choose(worker& w);
  void give(worker& w, std::size_t port, bool in_call);
  void flush_all(worker& w);
  void finish(worker& w);
  void answer_door();
  void note_wants();
  void note_rest(bool did);
  [[nodiscard]] bool has_news() const;
  [[nodiscard]] std::uint64_t sent_by_all() const;
  [[nodiscard]] bool has_items(std::size_t port) const noexcept;
  [[nodiscard]] bool comes_to_end(std::size_t port) const;
  [[nodiscard]] bool is_stuck() const;
  [[nodiscard]] bool restores_order() const noexcept { return ports_.role() == model::order_role::restores; }
  template <class F> void attempt(F&& f);

  model::ported& ports_;
  model::gateway* const gateway_;
  const std::shared_ptr<model::bell> door_;
  const std::size_t component_;
  std::unique_ptr<own_context> ctx_;
  thread_log* log_ = nullptr;
  std::vector<chunk_ptr> backs_;
  std::vector<bool> closed_;
  std::atomic<std::uint64_t> unread_{0};          // by input
  std::atomic<std::int64_t> rests_until_{never};  // of a source without anything to send
  std::int64_t rest_ns_ = 0;
  std::size_t turn_ = 0;
  std::uint64_t sent_ = 0;
  std::int64_t position_ = 0, born_ns_ = 0, upto_ = 0, elsewhere_ns_ = 0;
  bool again_ = false;  // it took or sent something the last time it was asked
  bool fresh_ = true;   // it has not been asked since something changed
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
