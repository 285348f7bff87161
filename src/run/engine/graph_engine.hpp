#pragma once

#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "../distributed/graph/deadlock_report.hpp"
#include "channel.hpp"
#include "node.hpp"
#include "overcommit.hpp"
#include "stand_ins.hpp"
#include "worker_group.hpp"

/// Lines and graphs of any shape, under every policy. Nodes hand runs of items to each other through bounded
/// channels; one that has something to do is given to a group of threads, and which groups there are is all
/// that a policy says. docs/engine.md tells how it works.
namespace THALWEG_NAMESPACE::run_detail::dataflow {

class graph_engine;
class farm;
class keyed_farm;
class stage_runner;
class monitor;
class replicated;
class shared_settings;
struct place_of;
struct region;
struct setting;

/// What a policy says of a network.
struct shape {
  int workers = 1;                ///< threads that share the nodes without one of their own
  bool sequential = false;        ///< one thread for everything, the caller's if there is one
  bool thread_each = false;       ///< a thread for each node, and for each replica of a farm
  bool fuse = true;               ///< serial stages that follow each other are one node
  int replicas = 1;               ///< of a farm that does not say how many
  int most_replicas = automatic;  ///< over all farms
  std::size_t slots = 8;          ///< runs of items that wait between two nodes, at most
  bool among_ranks = false;       ///< threads may be called in place of those in calls that wait
  bool may_overcommit = false;    ///< more threads may share the nodes while operators wait for the outside
  std::vector<int> pin = {};
  /// Where the nodes without a thread of their own are executed, if not by threads of ours.
  std::function<std::unique_ptr<worker_group>(graph_engine&)> home = {};
  /// The calling thread works for that worker_group, and returns when the run is over. A `home` of threads
  /// has a function called by each of them, with its number. Null: threads of ours do it.
  std::function<void(const std::function<void(std::size_t)>&)> hire = {};
  /// The run is over: who was hired returns.
  std::function<void()> dismiss = {};

  /// One thread executes everything.
  [[nodiscard]] bool alone() const noexcept {
    return sequential || (workers == 1 && !thread_each && !home && !among_ranks);
  }
};

class graph_engine final : public engine {
 public:
  graph_engine(std::unique_ptr<run_state> s, shape how);
  ~graph_engine() override;

  void start(bool on_caller) override;
  void join() override;
  void wake() override;
  void set_replicas(std::string_view stage, int replicas) override;
  [[nodiscard]] int most_replicas(std::size_t stage) const override;
  void set_run_length(std::chrono::nanoseconds work) override;
  void set_credits(std::string_view stage, int runs) override;
  void set_message_bytes(std::size_t bytes) override;
  void set_ranks(int ranks) override;
  [[nodiscard]] std::optional<int> credits(std::size_t stage) const override;
  [[nodiscard]] std::optional<std::size_t> message_bytes() const override;
  [[nodiscard]] int most_ranks() const override;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> run_length() const override;
  void leave_numbers() override;
  [[nodiscard]] bool executes_graphs() const noexcept override { return true; }
  [[nodiscard]] bool shows_items() const noexcept override { return true; }
  [[nodiscard]] int executed_by(std::size_t stage) const override;
  /// So many replicas the farm of this stage is to have on all ranks together. The communication thread.
  void resize(std::size_t stage, int replicas);
  /// From now on runs of items hold at most so much work in this process; 0: as it sees fit. Any thread.
  void bound_runs(std::chrono::nanoseconds work) noexcept;
  /// What rank 0 has set for all ranks. The communication thread.
  void take(const setting& s);
  /// Of a run on several ranks, by rank: whether it executes a stage, where each has so many replicas. Any
  /// thread.
  [[nodiscard]] std::vector<bool> ranks_at_work(const std::vector<int>& replicas) const;
  /// Ranks that are not there yet can only join while nothing has ended that they would have to send to.
  /// Holds all that open, and says whether it could. Any thread.
  [[nodiscard]] bool expect_others();
  /// They will not come after all. Any thread.
  void expect_nobody();
  /// They are there now: farms are shared out anew. The communication thread.
  void others_have_joined();

  // Of several ranks, the communication thread.

  /// Stages anywhere choose their inputs: all ranks may come to stand still.
  [[nodiscard]] bool may_stand_still() const noexcept { return chooses_somewhere_; }
  /// Another number whenever anything has moved, or grown.
  [[nodiscard]] std::uint64_t moved() const noexcept { return moving_.load(); }
  /// Nothing moves on this rank unless another one sends something.
  [[nodiscard]] std::optional<deadlock_report> stands_still() const;
  /// When no rank moves. False: it was not needed any more. Otherwise something will move.
  [[nodiscard]] bool relieve(remedy by);

  // For nodes and groups.

  [[nodiscard]] run_state& run() noexcept { return *state_; }
  [[nodiscard]] const shape& how() const noexcept { return shape_; }
  /// Of a run on several ranks.
  [[nodiscard]] const shared_settings& shared() const noexcept { return *shared_; }
  /// How many of so many replicas of a stage this process can execute at once.
  [[nodiscard]] int at_once(std::size_t stage, int replicas) const;
  /// As many replicas of the farm of this stage are at work here, or about to be, as there are workers for.
  /// Any thread.
  [[nodiscard]] bool all_replicas_work(std::size_t stage) const;
  /// Executes a claimed node once.
  void execute(node& n, worker& w);
  /// Waits in the middle of a call until there is room in the channel, and works meanwhile.
  void wait_for_room(worker& w, channel& e);
  /// In the middle of a source's call: works while the run is paused.
  void wait_while_paused(worker& w);
  /// All has ended, or has been cancelled.
  [[nodiscard]] bool over() const noexcept {
    return over_.load(std::memory_order_acquire) || state_->flags.cancelled.load(std::memory_order_acquire);
  }
  /// A thread's life in a worker_group.
  void live(thread_group& s, std::size_t number);
  /// A thread, or a task of a worker group whose threads are not ours, begins and ends. False: the run is
  /// over.
  [[nodiscard]] bool enter() noexcept;
  void leave();

  /// An operator's hooks are called once, whether its node begins or the line that it is part of. Replicas
  /// other than the first belong to their nodes alone.
  template <class F> void start_once(std::size_t stage, std::size_t replica, F&& start) {
    if (replica > 0) return start();
    std::call_once(started_[stage].once, [&] {
      start();
      started_[stage].done.store(true, std::memory_order_release);
    });
  }
  [[nodiscard]] bool has_started(std::size_t stage) const noexcept {
    return started_[stage].done.load(std::memory_order_acquire);
  }
  /// The monitor looks after the run from now on.
  void watch();
  /// The same, unless it has begun a moment ago. Any thread.
  void watch_if_it_lasts();
  /// A run of several items begins, which the monitor has to look after.
  void attend();
  /// What a source keeps while it waits in a call will be handed on.
  [[nodiscard]] bool is_watched() const noexcept { return watched_.load(std::memory_order_relaxed); }
  /// How much work a run of items is to be, in ns.
  [[nodiscard]] std::int64_t run_ns() const noexcept {
    return at_most_asked(run_ns_.load(std::memory_order_relaxed));
  }
  /// The same of a run for which the engine has another measure: no more than was asked for.
  [[nodiscard]] std::int64_t at_most_asked(std::int64_t ns) const noexcept {
    return std::min(ns, most_run_ns_.load(std::memory_order_relaxed));
  }
  /// A stage_runner whose runs of items can be cut short.
  void add(stage_runner& l);
  /// One more thread for the nodes without threads of their own. False: there is none.
  bool employ_one(thread_group& s, std::size_t number);
  /// What a run says for which the system had fewer threads than it wants from the beginning.
  void begin_first();
  [[nodiscard]] error no_more_threads(std::size_t wanted, std::size_t made, const std::string& why) const;

  /// A call that is awake but waits for others is counted as blocked while this lives.
  class blocked_call {
   public:
    explicit blocked_call(graph_engine& n) noexcept : moving_(n.moving_) {
      moving_.fetch_add(change + one_blocked);
    }
    blocked_call(const blocked_call&) = delete;
    blocked_call& operator=(const blocked_call&) = delete;
    ~blocked_call() { moving_.fetch_add(change - one_blocked); }

   private:
    std::atomic<std::uint64_t>& moving_;
  };

  void woke() noexcept { moving_.fetch_add(change + one_awake); }
  void slept();
  void ended();
  /// All that are awake wait in the middle of a call, and none of them can go on.
  [[nodiscard]] bool nothing_moves() const;

 private:
  struct span {
    std::size_t first, last;  // numbers of nodes
  };

  friend class monitor;
  friend class overcommit;
  friend class stand_ins;
  struct start_flag {
    std::once_flag once;
    std::atomic<bool> done{false};
  };

  void lay_out();
  void distribute_graph();
  [[nodiscard]] bool is_here(std::size_t stage) const;
  [[nodiscard]] int replicas_here(std::size_t stage) const;  // of a run on several ranks; -1: none, ever
  void set_replicas_here(replicated& f, std::size_t n);
  void resize_here(replicated& f, std::size_t n, bool by_user);
  void change_replicas(replicated& f, std::size_t n);
  void resize_home(std::size_t threads);
  void fit_home_to_farms();
  void share_out(std::size_t stage);
  void share_out_all();
  void bound_regions();
  void require_root(const char* who) const;
  void note_what_stays(int ranks);
  [[nodiscard]] int ranks_for(std::size_t stage) const;  // on which it may have replicas now
  [[nodiscard]] std::vector<std::size_t> stages_of(const replicated& f) const;
  [[nodiscard]] bool same_places(std::size_t a, std::size_t b) const;
  [[nodiscard]] bool replicates(const node& n) const;
  [[nodiscard]] bool lies_in_cycle(std::size_t component) const;
  [[nodiscard]] std::size_t stage_before(std::size_t stage) const;
  void find_coordinators();
  [[nodiscard]] std::vector<place_of> places_of(const node& n) const;
  [[nodiscard]] bool executes(const node& n) const;
  [[nodiscard]] bool is_mine(const node& n) const;
  [[nodiscard]] bool awaits_something() const;
  bool end_deadlock();
  void grow(channel& e);
  [[nodiscard]] std::string what_waits() const;
  [[nodiscard]] std::vector<node*> connect_coordinators();
  [[nodiscard]] std::unique_ptr<region> region_behind(const channel& e, std::uint32_t channel_id,
                                                      std::vector<const channel*>& edges);
  span add_component(std::size_t c);
  span add_line(std::size_t c);
  void add_whole(std::size_t c, span nodes);
  [[nodiscard]] bool may_be_whole(std::size_t c) const;
  node& add(std::unique_ptr<node> n, const model::stage_info& info, bool apart);
  void give_threads(node& n, worker_group* s);
  void share_threads();
  [[nodiscard]] worker_group* group_for(const model::stage_info& info, bool apart, std::size_t threads,
                                        std::size_t most);
  [[nodiscard]] std::unique_ptr<model::own_channel> make_pipe(const channel& e, std::size_t from_port);
  channel& connect(const connect_options& opts, node& from, std::size_t from_port, node& to,
                   std::size_t to_port);
  void number_replicas();
  void find_loops();
  void find_ranks();
  void find_paced();
  thread_group& new_group(std::size_t threads, std::size_t most, std::vector<int> pin);
  void employ(thread_group& s, std::size_t threads);
  void cut_runs() noexcept;
  void hire();
  void wake_groups();
  void poll(worker& w, thread_group& s);
  void look_no_more(worker& w, const node* next = nullptr);
  void execute_inside(node& n, worker& w);
  bool help(node& n, worker& w);
  void make_way();
  void grow_smallest();
  [[nodiscard]] channel* smallest_full() const;
  [[nodiscard]] bool waits_for_others(std::uint64_t moving) const;
  [[nodiscard]] std::size_t ready_nodes() const;
  [[nodiscard]] bool somebody_is_blocked() const noexcept { return moving_.load() % one_awake > 0; }
  [[nodiscard]] bool nobody_works() const;

  shape shape_;
  std::unique_ptr<shared_settings> shared_;  // null: it is on one rank
  std::vector<bool> gets_credit_;            // by stage: what other ranks send it is bounded by credit
  std::unique_ptr<start_flag[]> started_;    // by stage
  std::mutex runners_lock_;
  std::vector<stage_runner*> runners_;
  std::vector<std::unique_ptr<channel>> channels_;
  std::vector<std::unique_ptr<channel>> elsewhere_;  // which have other ends than on this rank
  std::vector<std::unique_ptr<region>> regions_;
  std::vector<std::unique_ptr<node>> owned_;
  std::vector<std::unique_ptr<farm>> farms_;
  std::vector<node*> nodes_;           // a farm's first replica stands for all
  std::vector<std::size_t> replicas_;  // of each farm, by its first stage
  std::vector<std::unique_ptr<keyed_farm>> keyed_farms_;
  std::vector<replicated*> farm_of_stage_;
  std::vector<int> coordinator_of_stage_;  // its rank; -1: it has none
  std::vector<std::unique_ptr<loop>> loops_;
  // Splits that keep the ranks which their items came with, and the ordered merges that ask for them.
  std::vector<std::pair<const node*, const node*>> keeps_ranks_;
  [[nodiscard]] bool no_other_threads() const;

  mutable std::mutex groups_lock_;  // a replica that is added later has a group of its own
  std::vector<std::unique_ptr<worker_group>> groups_;
  std::vector<thread_group*> thread_groups_;
  std::vector<std::thread> threads_;
  std::mutex employing_;  // `threads_`, and the sizes of groups once the run has begun
  worker_group* home_ = nullptr;
  thread_group* on_caller_ = nullptr;
  bool team_is_due_ = false;            // the thread that waits for the end hires it
  bool deferred_ = false;               // the caller's thread is still to come
  std::atomic<std::size_t> alive_{2};   // threads and tasks, `start` itself, and the run until it is over
  std::atomic<bool> goes_on_{true};     // the run has not left yet
  std::atomic<bool> all_woken_{false};  // at its end
  std::atomic<std::size_t> left_{0};    // nodes that have not ended
  // In one word, so that they are seen as they were at one time: how many nodes wait in the middle of a call,
  // how many are awake, and how often that has changed.
  static constexpr std::uint64_t one_blocked = 1;
  static constexpr std::uint64_t one_awake = std::uint64_t{1} << 16;
  static constexpr std::uint64_t change = std::uint64_t{1} << 40;
  static constexpr bool all_wait(std::uint64_t m) noexcept {
    return (m % change) / one_awake <= m % one_awake;
  }
  std::atomic<std::uint64_t> moving_{0};
  std::atomic<bool> over_{false};
  std::atomic<std::size_t> asked_for_way_{0};
  bool chooses_somewhere_ = false;
  // How often all ranks stood still, and a thread of this one that waits in a call was to change that.
  std::atomic<std::uint64_t> turns_given_{0}, ways_given_{0};
  std::mutex joining_;
  std::mutex resizing_;
  overcommit overcommit_{*this};
  stand_ins stand_ins_{*this};
  std::unique_ptr<monitor> monitor_;
  std::atomic<bool> watched_;
  std::atomic<std::int64_t> run_ns_{shortest_run_ns};
  std::atomic<std::int64_t> most_run_ns_{never};  // as it was asked for
  const std::int64_t began_ns_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
