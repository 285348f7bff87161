#pragma once

#include <thalweg/pipe/spinlock.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "../../engine/node.hpp"
#include "exchange.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

/// The ends of channels between ranks: `outbound` sends runs of items, `inbound` receives them.
///
/// State: the credit of each receiver, or, in a region, how far the order is restored behind it.
/// Written by: the nodes, one thread at a time. What other ranks tell comes on any thread, into atomic
/// numbers and queues under locks.
/// Invariant: no more runs are under way to a receiver than it has allowed. In a region no more than its
/// window lies between the first run that is not in order yet and the last one with a number. So memory is
/// bounded on all ranks, and the run that is next can always be received.

/// The farms between two serial nodes whose runs of items are numbered, so that their order can be restored
/// although replicas on several ranks work on them.
struct region {
  std::uint32_t first_channel = 0;  ///< in front of the first farm, where they get their numbers
  int first_rank = 0;
  std::vector<std::size_t> farms;        ///< their first stages
  std::size_t ranks = 1;                 ///< that the widest of them may be on
  std::atomic<std::int64_t> window{20};  ///< how many runs may be under way

  /// `replicas`: how many each stage has on all ranks together.
  void set_most(graph_engine& n, const exchange& by, const std::function<int(std::size_t stage)>& replicas);
};

/// Sends what a node gives to the ranks that execute the next one: each run of items to one of them.
class outbound final : public node {
 public:
  /// `whose`: the number of the stage that gets the items. `numbers`: the runs get their numbers here.
  /// `counted`: a rank gets no more than it has given credit for; otherwise the region's window is the bound.
  outbound(graph_engine& n, std::size_t whose, exchange& by, std::uint32_t channel_id,
           const std::vector<place_of>& from, const std::vector<place_of>& to, const region* in_order,
           bool numbers, bool counted);

  [[nodiscard]] bool ready() override;
  void execute(worker& w) override;
  [[nodiscard]] bool wants(std::size_t port) const noexcept override;

  // From the other ranks, any thread.

  void credited(int from, int runs, std::size_t grant);
  void allowed(int from, int most, int at_work);
  void progressed(std::int64_t below);
  /// How long it has had something to send that nobody had given credit for.
  [[nodiscard]] std::int64_t blocked_ns() const noexcept {
    return blocked_ns_.load(std::memory_order_relaxed);
  }

 private:
  struct target {
    int rank;
    bool feeds_itself;        // it executes what sends the items, too
    std::atomic<int> most;    // when nothing is under way to it
    std::atomic<int> credit;  // below 0: some of what is under way has been sent by what is allowed no more
    std::atomic<int> at_work;
    target(int r, bool sends, int credits, int works)
        : rank(r), feeds_itself(sends), most(credits), credit(credits), at_work(std::max(1, works)) {}
    /// Runs under way to it, for each that works.
    [[nodiscard]] double load() const noexcept {
      return static_cast<double>(most.load(std::memory_order_relaxed) -
                                 credit.load(std::memory_order_relaxed)) /
             at_work.load(std::memory_order_relaxed);
    }
  };

  [[nodiscard]] target* choose();
  [[nodiscard]] bool somebody_is_free_here() const noexcept;
  [[nodiscard]] bool window_is_full() const noexcept;
  [[nodiscard]] bool may_send() const noexcept;
  [[nodiscard]] bool goes_on();
  void adapt(std::size_t items, std::size_t bytes);

  exchange& by_;
  const std::uint32_t channel_;
  const region* const region_;
  const bool numbers_, counted_;
  std::deque<target> targets_;
  const target* here_ = nullptr;  // null: none of them is this rank
  std::size_t turn_ = 0;
  std::atomic<std::int64_t> next_{0};  // others ask whether it may send
  std::atomic<std::int64_t> below_{0};
  std::atomic<std::size_t> worth_{1};  // items, to a receiver
  double bytes_per_item_ = 0;
  std::int64_t blocked_since_ = 0;  // 0: it is not
  bool waits_for_credit_ = false;   // and what it is for
  bool waited_ = false;             // what is sent next has waited for credit
  std::atomic<std::int64_t> blocked_ns_{0};
};

/// Receives what is sent to a node by other ranks, and puts it into the order of its numbers where that is
/// its task.
class inbound final : public node, public receiver {
 public:
  /// `whose`: the number of the stage that gets the items. `restores`: it is the end of a region.
  inbound(graph_engine& n, std::size_t whose, exchange& by, std::uint32_t channel_id,
          const std::vector<place_of>& from, const region* in_order, bool restores, bool counted);

  [[nodiscard]] bool ready() override;
  void execute(worker& w) override;

  // From the other ranks, any thread.

  void arrived(int from, item_message p) override;
  void ended(int from) override;
  /// So many replicas of the stage are here now. None: what is under way is worked on, and nothing more is
  /// sent here. One thread at a time.
  void set_replicas(int n);
  /// Tells senders how much they may send, if that has changed.
  void tell_how_many();
  /// Tells the beginning of the region how far its end has come, if that is a good part of what may be under
  /// way. Any thread.
  void tell_progress();
  /// Those senders that were not there at first: this does not end before they have. False: it may have
  /// ended.
  [[nodiscard]] bool expect_others() noexcept;
  void expect_nobody();

 private:
  struct sender {
    int rank = 0;
    int taken = 0;  // runs that it has not been told of yet
  };
  struct waiting {
    std::size_t from;
    item_message what;
  };

  [[nodiscard]] bool owes_credit() const noexcept;
  void give_owed_credit();
  [[nodiscard]] bool in_turn() const;
  [[nodiscard]] bool has_next() const;
  [[nodiscard]] bool all_ended() const noexcept { return open_.load(std::memory_order_acquire) == 0; }
  void taken_from(std::size_t sender);
  void tell(sender& s);
  [[nodiscard]] bool has_nothing_to_do() const noexcept;
  /// How many work on its runs at once.
  [[nodiscard]] int at_work() const noexcept;
  [[nodiscard]] int few() const noexcept;
  [[nodiscard]] bool decides_itself() const noexcept;
  [[nodiscard]] bool follow_need();
  [[nodiscard]] int for_round_trip() const noexcept;
  void allow(int most);
  void follow_costs();

  exchange& by_;
  const std::uint32_t channel_;
  const region* const region_;
  const bool restores_, counted_;
  bool begun_ = false;
  std::deque<std::size_t> handed_;           // runs in the channel behind it, by sender
  std::atomic<std::size_t> handed_over_{0};  // how many these are
  std::atomic<int> replicas_;
  std::atomic<std::int64_t> bytes_per_run_{0};
  std::atomic<int> credit_;  // of each sender, as they have been told
  std::atomic<int> ahead_;   // runs in advance for each that works
  std::atomic<bool> starved_{false};
  int fed_ = 0;  // runs since it has changed
  std::int64_t fed_since_ = 0, patience_ns_;
  pipe::spinlock allowing_;  // who tells them
  std::vector<sender> senders_;
  std::atomic<std::size_t> open_;  // senders that are there and have not ended
  std::size_t absent_ = 0;         // senders that were not there at first
  mutable pipe::spinlock lock_;    // what follows
  std::deque<waiting> queue_;
  std::map<std::int64_t, waiting> out_of_turn_;
  std::deque<waiting> last_;  // from end hooks
  std::int64_t next_ = 0;
  std::int64_t told_ = 0;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
