#pragma once

#include <thalweg/pipe/ring.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "bell.hpp"
#include "layout.hpp"

// What lies between the threads of one node and those of the next.
//
// Every thread upstream has an outlet and every thread downstream an inlet, and from each outlet to each
// inlet goes a link: a ring of chunks there and a ring of empty chunks back. The thread upstream fills one
// chunk. It hands it over as soon as somebody downstream has nothing to do, or when it is large; and a thread
// downstream that finds nothing in its rings steals what has been filled so far. So items wait only while
// everybody is busy, and cross in large runs then.
//
// Order. Between two serial nodes it is that of the ring. Where farms lie between them, what the first one
// sends are messages: numbered, and each with a way through the farms that is fixed when it is sent. Every
// thread on the way is told, by a leg in a list of its own, where its next message comes from and where the
// result goes; so each thread takes its messages in order, at any time it waits for one certain ring, and the
// thread at the end puts the stream together by reading the rings in the order of its list. The message that
// is first among all unfinished ones is first in each ring and list it gets to: it can always go on, however
// small the rings are. Nothing overtakes, nothing is buffered anywhere else, and a message may have any
// number of chunks. In an unordered region there are no messages: everybody takes what comes.
namespace thalweg::run_detail::dedicated {

using chunk_ptr = std::unique_ptr<pipe::chunk_base>;

/// What lies in a ring: a run of items, and what it ends.
struct parcel {
  chunk_ptr items;         ///< null: a mark only
  std::int64_t bytes = 0;  ///< what the items hold
  std::int64_t early = 0;  ///< at the end of a message: how many others were still before it
  bool last = true;        ///< the message ends here
  bool end = false;        ///< so does the stream
};

/// What an end of a crossing needs of the thread it belongs to.
class party {
 public:
  party() = default;
  party(const party&) = delete;
  party& operator=(const party&) = delete;
  virtual ~party() = default;

  /// Waits until `ready()`; throws cancelled if the run ends before that.
  virtual void wait_until(const std::function<bool()>& ready) = 0;
  /// Wakes the thread if it sleeps.
  virtual bool ring() noexcept = 0;
  /// Counts that this thread has woken another.
  virtual void woke() noexcept = 0;
};

/// One thread to one thread: bounded in chunks, in bytes and in time of work.
class link {
 public:
  link(std::size_t slots, std::int64_t most_bytes)
      : there_(slots), back_(slots + 2), most_bytes_(most_bytes), free_(slots) {}

  // The thread upstream.

  /// Room for one more chunk, if no more than so many items shall wait.
  [[nodiscard]] bool has_room(std::int64_t most_items) noexcept;
  void push(parcel p);
  /// An empty chunk that has come back, or null.
  [[nodiscard]] chunk_ptr returned();
  /// How many parcels were sent and are not done with.
  [[nodiscard]] std::int64_t load() const noexcept { return sent_ - done_.load(std::memory_order_relaxed); }

  // The thread downstream.

  bool pop(parcel& p);
  [[nodiscard]] bool empty() const noexcept { return there_.empty(); }
  void done() noexcept { done_.store(++done_here_, std::memory_order_relaxed); }
  /// Something was taken that had not been sent yet: it is in hand until `done`.
  void stolen() noexcept { done_.store(--done_here_, std::memory_order_relaxed); }
  void give_back(chunk_ptr c) { (void)back_.try_push(std::move(c)); }
  [[nodiscard]] std::int64_t items_waiting() const noexcept {
    return sent_items_.load(std::memory_order_relaxed) - taken_items_.load(std::memory_order_relaxed);
  }
  /// A quarter of it is free: it is worth to wake somebody who waits for room.
  [[nodiscard]] bool roomy(std::int64_t most_items) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return there_.size(); }

 private:
  pipe::ring<parcel> there_;
  pipe::ring<chunk_ptr> back_;
  const std::int64_t most_bytes_;

  // The thread upstream.
  alignas(pipe::cache_line) std::size_t free_;
  std::int64_t sent_ = 0, taken_bytes_seen_ = 0, taken_items_seen_ = 0;
  std::atomic<std::int64_t> sent_items_{0}, sent_bytes_{0};

  // The thread downstream.
  alignas(pipe::cache_line) std::atomic<std::int64_t> done_{0};
  std::atomic<std::int64_t> taken_items_{0}, taken_bytes_{0};
  std::int64_t done_here_ = 0;
};

/// Bounds the items that wait in front of a node, over all its inputs, where the user asked for it.
class gate {
 public:
  explicit gate(std::int64_t capacity) : capacity_(capacity) {}

  [[nodiscard]] std::int64_t capacity() const noexcept { return capacity_; }
  /// Lets one item in, if there is room. In an ordered region the messages come in one after the other: late
  /// ones must not take the room of an early one.
  bool try_enter() noexcept;
  [[nodiscard]] bool room() const noexcept { return waiting_.load(std::memory_order_acquire) < capacity_; }
  /// Returns whether a quarter is free: it is worth to wake somebody who waits for room.
  bool leave(std::int64_t items) noexcept {
    return waiting_.fetch_sub(items, std::memory_order_acq_rel) - items <= capacity_ * 3 / 4;
  }

  [[nodiscard]] std::int64_t turn() const noexcept { return turn_.load(std::memory_order_acquire); }
  void pass_turn(std::int64_t seq) noexcept { turn_.store(seq + 1, std::memory_order_release); }

 private:
  const std::int64_t capacity_;
  alignas(pipe::cache_line) std::atomic<std::int64_t> waiting_{0};
  std::atomic<std::int64_t> turn_{0};
};

/// A message as one thread sees it.
struct leg {
  static constexpr int own_end = -1;  ///< not from a link: what the thread itself sends at its end
  std::int64_t seq = 0;
  int from = 0;  ///< which link to read it from
  int to = 0;    ///< which link its result goes to
};

class inlet;
class outlet;

/// The ways of the messages through the farms between two serial nodes. Level 0 is the first farm, the last
/// level the serial node at the end. Whoever numbers messages holds the lock of the first node's outlet.
class itinerary {
 public:
  /// `replicas` of each farm; at most `window` messages are on their way.
  itinerary(std::vector<std::size_t> replicas, std::size_t window);

  [[nodiscard]] std::size_t levels() const noexcept { return stations_.size() - 1; }
  [[nodiscard]] std::size_t replicas(std::size_t level) const noexcept { return stations_[level].size(); }
  [[nodiscard]] bool has_room() const noexcept { return on_the_way() < window_; }
  /// Numbers one more message, which starts at `replica` of `level`, and finds its way from there.
  void assign(std::size_t level, std::size_t replica, int from);
  /// No more messages.
  void end();

  /// How many messages have come out at the end.
  [[nodiscard]] std::int64_t merged() const noexcept { return merged_.load(std::memory_order_acquire); }

  /// One thread's list of messages.
  struct station {
    explicit station(std::size_t window) : legs(window) {}
    pipe::ring<leg> legs;
    inlet* where = nullptr;
    std::int64_t assigned = 0;
    alignas(pipe::cache_line) std::atomic<std::int64_t> done{0};
  };
  [[nodiscard]] station& at(std::size_t level, std::size_t replica) { return *stations_[level][replica]; }
  /// The thread at `level` is done with a message.
  void done(std::size_t level, std::size_t replica) noexcept {
    auto& d = stations_[level][replica]->done;
    d.store(d.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// Message `seq` has come out at the end.
  void merge(std::int64_t seq) noexcept;
  /// Who sends the messages.
  void starts_at(outlet& o) noexcept { start_ = &o; }

 private:
  void tell(std::size_t level, std::size_t replica, int from, std::int64_t seq);
  [[nodiscard]] std::size_t lightest(std::size_t level);
  [[nodiscard]] std::int64_t on_the_way() const noexcept {
    return next_.load(std::memory_order_relaxed) - merged_.load(std::memory_order_acquire);
  }

  std::vector<std::vector<std::unique_ptr<station>>> stations_;
  std::vector<std::size_t> turn_;
  outlet* start_ = nullptr;
  const std::int64_t window_;
  std::atomic<std::int64_t> next_{0};
  alignas(pipe::cache_line) std::atomic<std::int64_t> merged_{0};
};

class crossing;

/// The end of a crossing where a thread puts items in. The thread itself calls everything, except `filling`'s
/// `steal` and what is marked.
class outlet {
 public:
  outlet(crossing& c, std::size_t index) : crossing_(c), index_(index) {}

  /// Before any thread runs.
  void belongs_to(party& owner);
  [[nodiscard]] pipe::chunk_base& filling() noexcept { return *filling_; }
  /// What is added from now on comes from an item at `position`, which left the source at `born_ns` (0: now).
  void comes_from(std::int64_t position, std::int64_t born_ns) noexcept {
    position_.store(position, std::memory_order_relaxed);
    born_ns_.store(born_ns, std::memory_order_relaxed);
  }

  /// One more item, of so many bytes, lies in the chunk. May hand it over, and wait for room.
  void added(std::size_t bytes) {
    if (gate_ != nullptr) enter();
    if (first_born_.load(std::memory_order_relaxed) == 0) stamp();
    bytes_ += bytes;
    if (is_wanted() || bytes_ >= most_bytes || filling_->size() >= grant_) [[unlikely]]
      send(!relays_);
  }
  /// So many more, for a source that never waits.
  void added_many() {
    if (first_born_.load(std::memory_order_relaxed) == 0) stamp();
    if (is_wanted() || filling_->size() >= grant_) send(!relays_);
  }
  /// Hands over what there is, and waits for room.
  void send_all() {
    while (!filling_->empty()) send(!relays_);
  }
  /// The thread has nothing more to do for now.
  void rest();
  /// How many items to collect before they are handed over, as things are.
  [[nodiscard]] std::size_t grant() const noexcept { return grant_; }
  /// Whether each item has to ask for room.
  [[nodiscard]] bool gated() const noexcept { return gate_ != nullptr; }
  /// How often something was handed over.
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }

  /// In the middle of an ordered region: the items of a message.
  [[nodiscard]] bool relays() const noexcept { return relays_; }
  void begin_message(const leg& l) noexcept {
    message_ = l;
    filling_for_.store(l.seq, std::memory_order_relaxed);
  }
  void end_message();
  /// The end of the stream.
  void close();

  // Any thread.

  /// What the owner may wait for: room in the links, in the itinerary, in the gate, or its turn there.
  enum class room : std::uint8_t { none, links, route, gate };
  /// There is room now. Returns true if the owner slept and waited for it.
  bool made(room r) noexcept {
    pipe::light_fence();
    return waits_for_.load(std::memory_order_relaxed) == r && owner_->ring();
  }
  /// The gate lets message `seq` in.
  void opened(std::int64_t seq) noexcept {
    pipe::light_fence();
    if (waits_for_.load(std::memory_order_relaxed) == room::gate &&
        (!relays_ || filling_for_.load(std::memory_order_relaxed) == seq)) {
      (void)owner_->ring();
    }
  }

  static constexpr std::size_t most_bytes = std::size_t{1} << 20;  ///< in one chunk

 private:
  friend class inlet;

  [[nodiscard]] bool is_wanted() const noexcept;
  void stamp() noexcept;
  void enter();
  void send(bool last);
  void wait_for(room what, const std::function<bool()>& ready);
  void wait_for_target();
  [[nodiscard]] bool numbers() const noexcept;  // the messages of an ordered region begin here
  [[nodiscard]] int target();
  [[nodiscard]] bool has_room(std::size_t to) noexcept;
  [[nodiscard]] int lightest();
  [[nodiscard]] int routed();
  void hand_to(inlet& in, bool claimed) noexcept;
  void label(pipe::chunk_base& items) noexcept;
  void grow() noexcept;

  static constexpr std::size_t most_items = 256;    // in one chunk
  static constexpr std::int64_t grant_ns = 50'000;  // of work, in one chunk

  crossing& crossing_;
  const std::size_t index_;
  party* owner_ = nullptr;
  gate* gate_ = nullptr;
  bool relays_ = false;
  bool by_item_ = false;  // each item has a replica of its own to go to
  chunk_ptr filling_;
  chunk_ptr spare_;
  leg message_;
  std::size_t bytes_ = 0;  // in the chunk, at most
  std::size_t grant_ = 1;
  std::size_t turn_ = 0;
  int chosen_ = -1;
  bool chosen_idle_ = false;
  std::uint64_t sent_ = 0;
  std::int64_t last_position_ = 0;  // under the lock

  /// What decides which items are whose: held to hand the chunk over, and to steal from it.
  alignas(pipe::cache_line) pipe::spinlock lock_;
  std::atomic<std::int64_t> filling_for_{-1};  // the message in the chunk
  std::atomic<room> waits_for_{room::none};
  std::atomic<std::int64_t> position_{0}, born_ns_{0};
  std::atomic<std::int64_t> first_position_{0}, first_born_{0};  // of the first item in the chunk; 0: unknown
};

/// The end of a crossing where a thread takes items out. The thread itself calls everything, except what is
/// marked.
class inlet {
 public:
  inlet(crossing& c, std::size_t index) : crossing_(c), index_(index) {}

  /// Before any thread runs.
  void belongs_to(party& owner) { owner_ = &owner; }
  enum class got : std::uint8_t { nothing, items, end };
  /// Whether `next` would give something.
  [[nodiscard]] bool ready();
  [[nodiscard]] got next(parcel& p);
  /// The message that the last parcel belongs to, in an ordered region.
  [[nodiscard]] const leg& message() const noexcept { return *leg_; }
  /// The last parcel has been worked on; `p` is given back.
  void done(parcel p);
  /// The last parcel cost so much per item.
  void costs(double ns) noexcept;
  /// Counts what waits here, at the moment when `p` has been taken. Returns the number of items, if it has
  /// looked.
  std::optional<std::uint64_t> count(observe::stage_counters& stage, const parcel& p) noexcept;

  /// Before the thread sleeps: tells those upstream what it waits for. Returns false if they know.
  bool announce() noexcept;
  void retract() noexcept;
  /// Takes what lies in a chunk that is being filled; `ready` then.
  bool steal();

  // Any thread.

  /// Whether the owner waits for link `from`, or for anything.
  [[nodiscard]] bool awaits(int from) const noexcept {
    const auto w = awaited_.load(std::memory_order_relaxed);
    return w == any || w == from;
  }
  /// The owner waits for link `from`, or for anything, and is about to get it: it counts as busy now.
  bool claim(int from) noexcept;
  bool ring() noexcept { return owner_->ring(); }

  static constexpr int any = -2;

 private:
  friend class crossing;
  static constexpr int nobody = -3;

  [[nodiscard]] bool find_leg();
  bool steal_from(std::size_t from);
  void left(std::int64_t items) noexcept;

  crossing& crossing_;
  const std::size_t index_;
  party* owner_ = nullptr;
  itinerary::station* station_ = nullptr;
  std::optional<leg> leg_;
  std::optional<parcel> stolen_;
  chunk_ptr loot_;
  int from_ = -1;
  std::size_t robbed_ = 0;  // whose filling that was taken from which lies in `stolen_` or is in hand
  std::size_t look_at_ = 0;
  std::size_t ended_ = 0;
  std::uint64_t ticks_ = 0;
  std::int64_t held_ = 0;  // items in hand that still count as waiting
  alignas(pipe::cache_line) std::atomic<int> awaited_{nobody};
};

/// All threads of one node to all threads of the next.
class crossing {
 public:
  struct shape {
    const node* from = nullptr;
    const node* to = nullptr;
    std::shared_ptr<itinerary> route = nullptr;  ///< in an ordered region
    std::size_t level = 0;                       ///< there, of the threads downstream
    std::size_t slots = 64;
    std::size_t stage = 0;  ///< the stage whose output crosses, by its number in the plan
  };
  crossing(run_state& run, const shape& s);

  [[nodiscard]] std::size_t producers() const noexcept { return outlets_.size(); }
  [[nodiscard]] std::size_t consumers() const noexcept { return inlets_.size(); }
  [[nodiscard]] outlet& from(std::size_t i) noexcept { return *outlets_[i]; }
  [[nodiscard]] inlet& to(std::size_t i) noexcept { return *inlets_[i]; }
  [[nodiscard]] link& between(std::size_t from, std::size_t to) noexcept {
    return *links_[from * inlets_.size() + to];
  }
  [[nodiscard]] chunk_ptr make_chunk() const;
  /// How long one item keeps a thread downstream, by a moving average.
  void learn_cost(double ns) noexcept;
  /// How many items make up so much work for a thread downstream; `unknown` before the first one is done.
  [[nodiscard]] std::int64_t items_in(double work_ns, std::int64_t unknown) const noexcept;
  /// How many items may wait in a link, unless the user has said so. A run that is stopped drains soon,
  /// however slow its stages are.
  [[nodiscard]] std::int64_t most_items() const noexcept {
    if (entrance) return std::numeric_limits<std::int64_t>::max() / 4;
    return std::max<std::int64_t>(2, items_in(10'000'000, 64));
  }

  run_state& run;
  const shape is;
  std::unique_ptr<gate> entrance;
  /// How many threads downstream wait for whatever comes.
  alignas(pipe::cache_line) std::atomic<int> idle{0};

 private:
  std::vector<std::unique_ptr<outlet>> outlets_;
  std::vector<std::unique_ptr<inlet>> inlets_;
  std::vector<std::unique_ptr<link>> links_;
  std::atomic<double> cost_ns_{0};
};

inline bool outlet::numbers() const noexcept {
  return crossing_.is.route && !relays_;
}

inline bool outlet::is_wanted() const noexcept {
  if (by_item_) return true;
  pipe::light_fence();
  return relays_ ? crossing_.to(static_cast<std::size_t>(message_.to)).awaits(static_cast<int>(index_))
                 : crossing_.idle.load(std::memory_order_relaxed) > 0;
}

}  // namespace thalweg::run_detail::dedicated
