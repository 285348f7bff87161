#pragma once

#include <thalweg/model/function_ref.hpp>
#include <thalweg/model/key_part.hpp>
#include <thalweg/model/options.hpp>
#include <thalweg/pipe/chunk.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <typeinfo>
#include <vector>

namespace THALWEG_NAMESPACE::flow {
struct told_rate;
}

namespace THALWEG_NAMESPACE::model {

class told_limits;

/// What an operator's surroundings may ask of the engine while it runs, and where they leave what they
/// counted. One context belongs to one thread at a time.
class context {
 public:
  /// Per stage of the component: what passed since the engine last looked.
  struct tally {
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    std::uint64_t told_in = 0;  ///< of these, what `counted` has seen
    std::uint64_t told_out = 0;
    std::uint64_t errors = 0;
    std::uint64_t retries = 0;
    std::uint64_t skipped = 0;
    std::uint64_t dead_lettered = 0;
  };

  /// Reaches operators that ask for one: requested by `cancel()`; that of sources, and of what asks an
  /// emitter whether the run is stopping, by `stop()` too.
  std::stop_token stop, source_stop;
  /// Set when the run is being cancelled or has failed.
  const std::atomic<bool>* cancelled = nullptr;
  /// Set when the run of items in hand shall end behind the item in hand: `process` returns early then, or
  /// throws `cancelled` if that is set, too. By default it is `cancelled` itself.
  const std::atomic<bool>* cut = nullptr;
  /// Set when somebody waits for what the output holds: it is flushed behind the next item.
  const std::atomic<bool>* hurry = &nobody_waits;
  /// Set when the sources shall end.
  const std::atomic<bool>* ending = nullptr;
  /// Set when the sources shall not be called: the run is paused, or it ends.
  const std::atomic<bool>* held = nullptr;
  /// How many items the source may give in the call that goes on. What sets `held` sets it to 0 then, so
  /// that the loop over the source's calls looks at nothing else.
  std::atomic<std::size_t>* quota = nullptr;
  /// For how long the run has been paused in all, in ns: by so much the schedule of a paced source is moved.
  const std::atomic<std::int64_t>* paused_ns = nullptr;
  /// The time that `now` gives in place of that of the steady clock, in ns; null if there is none. It must
  /// not go back.
  const std::atomic<std::int64_t>* virtual_now_ns = nullptr;
  /// Where time is virtual no thread sleeps: until then a source has to wait that has given nothing.
  std::int64_t not_before_ns = 0;
  /// How long a source has waited for due times since this was last looked at: not to be counted as work.
  std::int64_t waited_ns = 0;
  /// The due time of the item in hand, when `paced`.
  std::int64_t due = 0;
  /// The rank of the item in hand, when `ranked`.
  std::int64_t rank = 0;
  bool paced = false;
  bool ranked = false;
  /// A paced source is not to wait for a due time: it has given items that others are to see first.
  bool no_wait = false;
  /// When a timer is called: items wait for the stage that came before it was due.
  bool items_wait = false;
  /// The operator has a part of the keys only; null: all of them. What it sends at the end needs the ranks
  /// with which they appeared.
  key_part* part = nullptr;
  /// How many items, and bytes of items, an output may collect in the middle of a call before `flush`.
  std::size_t limit = 8192;
  std::size_t limit_bytes = std::size_t{8} << 20;
  /// At a flush: the bytes of what `out` holds, more where another thread has taken some of it. Counted by
  /// the filling thread, which must not look at items that another may take.
  std::size_t out_bytes = 0;
  std::vector<tally> tallies;

  context() = default;
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  virtual ~context() = default;

  /// `out`, the output of stage `leaf`, is full: hands over what it holds and empties it. May throw
  /// `cancelled`.
  virtual void flush(std::size_t leaf, pipe::chunk_base& out) = 0;
  /// The run is to be cut short in the middle of a call of stage `leaf`, which sends many items: takes these,
  /// and whatever else that call sends, so that others can work on them. False: they go on here.
  virtual bool divert(std::size_t leaf, pipe::chunk_base& items) {
    (void)leaf, (void)items;
    return false;
  }
  /// Waits before a retry; throws `cancelled` if the run ends meanwhile.
  virtual void back_off(std::chrono::nanoseconds delay) = 0;
  /// Calls `f`, which calls a handler of errors, while no other one of the run is being called.
  virtual void one_at_a_time(function_ref<void()> f) = 0;
  /// Called by a source that finds the run paused: returns when it goes on, or ends.
  virtual void wait_while_paused() = 0;
  /// The tallies of stages [first, last) are up to date in the middle of a call, and somebody wants to know.
  virtual void counted(std::size_t first, std::size_t last) = 0;
  /// An item has left the graph at a sink, under a paced source.
  virtual void arrived(std::int64_t due_ns) = 0;

  void take_marks(const pipe::mark& m) noexcept {
    due = m.due;
    rank = m.rank;
  }
  /// What time it is for operators that work by processing time, in ns: that of the steady clock, or the
  /// virtual one.
  [[nodiscard]] std::int64_t now() const;

  [[nodiscard]] bool interrupted() const noexcept { return cancelled->load(std::memory_order_relaxed); }
  [[nodiscard]] bool source_interrupted() const noexcept {
    return ending->load(std::memory_order_relaxed) || interrupted();
  }
  [[nodiscard]] bool source_held() const noexcept { return held->load(std::memory_order_relaxed); }
  inline static constinit const std::atomic<bool> nobody_waits{false};

  /// Lets the source give `n` items. What holds it meanwhile sets `held` first: one of the two sees the
  /// other.
  const std::atomic<std::size_t>& ration(std::size_t n) const noexcept {
    quota->store(n);
    if (held->load()) quota->store(0);
    return *quota;
  }
};

/// What a source is like.
struct source_kind {
  bool paced = false;   ///< its items have due times
  bool pushes = false;  ///< it is called once and emits all its items
  bool eager = false;   ///< it never waits: its items are already in memory
  /// What the run says to a paced one of its rate; null: it has none.
  std::shared_ptr<flow::told_rate> told = {};
};

/// Which items one state of a stage must see.
enum class state_scope : std::uint8_t {
  none,     ///< any: it keeps nothing, or what each replica keeps by itself
  stream,   ///< all items: it cannot be replicated by a farm
  keyless,  ///< all items, since they have no keys; behind a `key_by` it would be `key`
  key,      ///< all items of a key: in a farm the keys are divided up
};

/// What a stage keeps from one item to the next.
struct state_kind {
  state_scope scope = state_scope::none;
  bool per_replica = false;    ///< each replica of a farm has an operator of its own
  bool watermarked = false;    ///< what it gives for a key depends on the time of the whole stream
  bool hears_silence = false;  ///< that time goes on, too, when no item has come for long

  [[nodiscard]] bool keyed() const noexcept { return scope == state_scope::key; }
};

/// What the order of items is for a stage.
struct order_kind {
  bool groups = false;      ///< what it gives depends on which items follow each other
  bool by_arrival = false;  ///< it takes items as they arrive, and did not say `.any_order`
  bool reorders = false;    ///< it brings items that came in any order into one of its own
};

/// Everything that can be known of a stage without running it.
struct stage_info {
  stage_info() noexcept;
  stage_info(const stage_info& other);
  stage_info(stage_info&& other) noexcept;
  stage_info& operator=(const stage_info& other);
  stage_info& operator=(stage_info&& other) noexcept;
  ~stage_info();

  std::string name;  ///< path: `archive/compress`
  std::string pattern;
  options opts;
  /// The farm the stage belongs to: stages with the same number are replicated together. -1: serial.
  int farm = -1;
  /// How many replicas that farm allows at once; `automatic` leaves it to the policy.
  int replicas = automatic;
  /// Between which numbers the run may change that by itself; both 0: it was not asked to.
  int least_replicas = 0, most_replicas = 0;
  bool unordered = false;
  const std::type_info* in = nullptr;   ///< null for a source
  const std::type_info* out = nullptr;  ///< null for a sink
  bool copyable = false;                ///< the input items can be copied
  bool timed = false;                   ///< wants to be called when time has passed
  bool ends = false;                    ///< has an end hook that must be called
  bool begins_first = false;  ///< its replica is made before the sources begin, not with its first item
  source_kind source;
  state_kind state;
  order_kind order;
  /// What the run says to a batch of its limits; null: it is none.
  std::shared_ptr<told_limits> batches = {};
  std::vector<std::string> problems;  ///< what is wrong with it
  std::string only_stops;             ///< why it can have no error policy; empty: it can
  /// The items that it can hand to `tw::dead_letter`; null: none, or of several types.
  const std::type_info* gives_up = nullptr;
};

class naming;
/// Begins the description of a stage: its pattern, options and name. It may be gone when the next one is
/// added.
stage_info& add_stage(std::vector<stage_info>& infos, naming& names, const char* pattern,
                      const options& opts);

/// Stages [first, last) of a component, executed as one plain loop.
struct range {
  std::size_t first = 0;
  std::size_t last = 0;
  friend bool operator==(const range&, const range&) = default;
};

/// What became of asking a source for items.
struct produced {
  std::size_t items = 0;
  bool ended = false;
};

class ported;

/// A part of a graph as the engines see it: a line of stages whose items have been erased. It owns the
/// operators of one run. Which thread calls what is the policy's affair; it must not call the same stage (for
/// a farm: the same replica of it) twice at once, and it must call `start` before and `finish` after.
class component {
 public:
  virtual ~component() = default;

  [[nodiscard]] const std::vector<stage_info>& stages() const noexcept { return stages_; }
  /// To change the options of a stage, before `start`.
  [[nodiscard]] stage_info& info_at(std::size_t stage) { return stages_[stage]; }
  /// The ranges that exist as compiled loops: every single stage, every longest line of serial stages, every
  /// farm, and the whole, which is divided behind each stage that sends bursts.
  [[nodiscard]] virtual std::vector<range> compiled() const = 0;

  /// How many replicas of a farm's stage there may be. To be called once for each stage, before `start`.
  virtual void prepare(std::size_t stage, std::size_t replicas) = 0;
  /// Makes the operators (calling factories) and calls their start hooks, on the calling thread.
  virtual void start(range r, std::size_t replica) = 0;
  /// Runs the items of `in` through the stages and puts what comes out into `out` (null if the last stage is
  /// a sink). Returns how many: all, unless `ctx.cut` is set meanwhile. They are left moved-from. Throws
  /// stage_failure, cancelled.
  virtual std::size_t process(range r, std::size_t replica, context& ctx, pipe::chunk_base& in,
                              pipe::chunk_base* out) = 0;
  /// A range that begins with a source: calls it until it has given `n` items, ends or is held.
  virtual produced produce(range r, context& ctx, std::size_t n, pipe::chunk_base* out) = 0;
  /// The end of the stream for one replica: calls the end hooks in order; they may still send. To be called
  /// for one stage at a time.
  virtual void finish(std::size_t stage, std::size_t replica, context& ctx, pipe::chunk_base* out) = 0;
  /// When a timed stage wants `on_time` to be called (steady clock, ns); max() if not at all. Safe from any
  /// thread.
  [[nodiscard]] virtual std::int64_t deadline(std::size_t stage, std::size_t replica = 0) const = 0;
  virtual void on_time(std::size_t stage, context& ctx, pipe::chunk_base* out, std::size_t replica = 0) = 0;
  /// An empty chunk for the output of a stage (of a `tw::stage`: for a port).
  [[nodiscard]] virtual std::unique_ptr<pipe::chunk_base> make_chunk(std::size_t stage) const = 0;
  /// For a stage with state for each key: moves the items of `in` into `parts`, by key, in order, with ranks
  /// from `first` on. `who[i]` is then the part of item i. Where several parts go to the same place, `places`
  /// says for each part to which of `parts` its items are moved.
  virtual void divide(std::size_t stage, pipe::chunk_base& in,
                      std::span<const std::unique_ptr<pipe::chunk_base>> parts, std::int64_t first,
                      std::vector<std::uint8_t>& who, std::span<const std::uint8_t> places) const = 0;
  /// For a stage that is watermarked, before its items are divided: adds the moments of the items, which
  /// come at `now`. `clock` is that of the whole stream. Without items (null) time alone has passed: adds one
  /// moment.
  virtual void take_times(std::size_t stage, pipe::chunk_base* in, std::int64_t now, stream_clock& clock,
                          std::vector<moment>& moments) const = 0;
  /// For such a stage, where the keys are divided up: time has come to the last moment of the run.
  virtual void catch_up(std::size_t stage, context& ctx, pipe::chunk_base* out, std::size_t replica) = 0;
  /// The items of all parts that have come too late, in order.
  virtual void give_late(std::size_t stage, pipe::chunk_base& items) = 0;
  /// An empty chunk for keys and what belongs to them, each with the rank of the item with which it appeared;
  /// null if those of the stage cannot be moved from one replica to another.
  [[nodiscard]] virtual std::unique_ptr<pipe::chunk_base> make_states(std::size_t stage) const;
  /// Moves all that a replica has there, which is left without keys; and back, to one that has none.
  virtual void take_states(std::size_t stage, std::size_t replica, pipe::chunk_base& into);
  virtual void put_states(std::size_t stage, std::size_t replica, pipe::chunk_base& from);
  /// Itself, if it is a `tw::stage`, whose inputs and outputs are ports; null for a line of stages.
  [[nodiscard]] virtual ported* ports() noexcept { return nullptr; }
  /// Gives its stages the names that another component, made from the same blueprint, was given.
  void take_names(const std::vector<stage_info>& named);

 protected:
  /// Calls `f` as the stage's error policy says. Returns false if the item, of that type, was given up.
  bool attempt(std::size_t stage, context& ctx, const void* item, const std::type_info* type,
               function_ref<void()> f);
  /// The stage was called, and failed, but not for an item. Returns if the stream goes on in spite of it.
  void forgive(std::size_t stage, context& ctx, const stage_failure& failure);

  std::vector<stage_info> stages_;

 private:
  [[nodiscard]] error_policy asked(std::size_t stage, context& ctx, const void* item,
                                   const std::type_info* type, const stage_failure& failure, int tries) const;
};

/// What is known of a component's stages when it is compiled.
struct stage_kinds {
  const bool* one_to_one;  ///< of each stage
  bool has_source;         ///< the first one is a source
  bool has_sink;           ///< the last one of the range is a sink
};
inline constexpr auto no_stage = std::numeric_limits<std::size_t>::max();
/// Adds to the tallies what has passed a range of stages. `in` items entered the first one (or, if that is a
/// source, were made by it); `passed` says how many the others gave, where that is not one for each.
/// `failed`: the stage that has thrown at the last item, if any has.
void count_items(range r, context& ctx, const stage_kinds& kinds, const std::uint64_t* passed,
                 std::uint64_t in, std::size_t failed);

}  // namespace THALWEG_NAMESPACE::model
