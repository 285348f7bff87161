#pragma once

#include <thalweg/model/wire.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../engine/channel.hpp"
#include "places.hpp"

/// What the networks of one run tell each other when several processes, each of which has a rank, execute its
/// stages. Nothing here knows how bytes get from one to the other: src/run/distributed/mpi does.
/// docs/distributed.md describes how it works.
namespace THALWEG_NAMESPACE::run_detail::dataflow {

class graph_engine;
class outbound;

/// How many parts a farm may have where one rank divides its items up: a byte names one.
inline constexpr std::size_t most_partitions = 256;

/// Whether a rank can mean this time, in ns: such times, and what clocks differ by, can be added up.
[[nodiscard]] constexpr bool is_time(std::int64_t ns) noexcept {
  constexpr auto latest = std::int64_t{1} << 60;
  return ns >= -latest && ns <= latest;
}
/// The same for the due times of items, if they have any.
[[nodiscard]] inline bool can_be_due(const pipe::chunk_base& items) noexcept {
  for (std::size_t i = 0; items.paced && i < items.size(); ++i) {
    if (!is_time(items.due(i))) return false;
  }
  return true;
}

/// A run of items on its way to another rank. `number`: its place in the order of what was sent out.
/// `waited`: it could not be sent at once for want of credit. `shift`: what to add to times of the sender's
/// clock so that they are those of the receiver's; the times that the items themselves have are that already.
struct item_message {
  std::int64_t number = 0;
  chunk_ptr items;
  bool waited = false;
  std::int64_t shift = 0;
};

/// What rank 0 sets for all ranks.
struct setting {
  enum class kind : std::uint8_t { ranks, credits, message_bytes, run_length };
  kind what = kind::ranks;
  std::size_t stage = 0;  ///< of credits: the first one of its farm
  std::int64_t value = 0;
};

/// Where a channel leads: from one stage to another, by their numbers in the plan, and from the ranks of one
/// to those of the other.
struct route {
  std::size_t from_stage = 0, to_stage = 0;
  std::vector<place_of> senders, receivers;
};

/// Takes what comes on a channel from the ranks. Any thread.
class receiver {
 public:
  virtual ~receiver() = default;
  virtual void arrived(int from, item_message p) = 0;
  /// No more will come from there.
  virtual void ended(int from) = 0;
};

/// Joins the network of this rank to those of the others. A channel is an edge of the job's graph, with the
/// same number everywhere.
class exchange {
 public:
  virtual ~exchange() = default;

  [[nodiscard]] virtual int rank() const noexcept = 0;
  /// How many take part already.
  [[nodiscard]] virtual int ranks() const noexcept = 0;
  /// Also on ranks that are not there yet.
  [[nodiscard]] virtual const mapping& places() const noexcept = 0;
  /// Whether that rank takes part already. Once it does it always will. What is sent to one that does not is
  /// kept for it. Any thread.
  [[nodiscard]] virtual bool is_there(int rank) const noexcept = 0;
  /// How many workers that rank has by itself, as every rank knows; the policy there may give it others.
  [[nodiscard]] virtual int workers(int rank) const noexcept = 0;
  /// How many runs of items a sender may have under way to one replica as the run begins; 0: the network
  /// decides.
  [[nodiscard]] virtual int credits() const noexcept = 0;
  /// How long what is sent to the farthest rank goes there, and its answer back, as the run begins; 0: all
  /// are on one machine.
  [[nodiscard]] virtual std::int64_t round_trip_ns() const noexcept = 0;
  /// How many bytes of items to send at once, about, as the run begins.
  [[nodiscard]] virtual std::size_t run_bytes() const noexcept = 0;

  // While the network is laid out.

  /// A channel, and its ends on this rank; null: it has none of that kind. `items`: an empty chunk for what
  /// travels. `how`: the way it does; null: that of its items.
  virtual void add(std::uint32_t channel_id, const route& way, outbound* out, receiver* in, chunk_ptr items,
                   const model::wire* how) = 0;

  // The run.

  /// All is laid out. With `on_caller` the calling thread is about to call `join`.
  virtual void start(graph_engine& of, bool on_caller) = 0;
  /// Returns when no rank has anything to say any more.
  virtual void join() = 0;
  /// A flag of the run may have changed, or its network has come to its end.
  virtual void wake() noexcept = 0;

  // Any thread.

  /// Returns how many bytes its items are on the way: 0 if it is this rank.
  virtual std::size_t send(int to, std::uint32_t channel_id, item_message p) = 0;
  /// `runs` have been taken; as many items as `grant` are worth sending at once.
  virtual void give_credit(int to, std::uint32_t channel_id, int runs, std::size_t grant) = 0;
  /// From now on so many runs may be under way from there to here, where so many work on them at once.
  virtual void set_credit(int to, std::uint32_t channel_id, int most, int at_work) = 0;
  /// All runs below this number have been put in order: to where they were numbered.
  virtual void tell_progress(int to, std::uint32_t channel_id, std::int64_t below) = 0;
  /// No more will come from here.
  virtual void send_end(int to, std::uint32_t channel_id) = 0;
  /// Something is not as it was asked for: the report says so. The communication thread.
  virtual void note(std::string what) = 0;
  /// Has `net::resize` called on all ranks. Of several changes of one stage the same is the last everywhere.
  virtual void resize(std::size_t stage, int replicas) = 0;
  /// Of rank 0: has `net::take` called on all ranks, in the same order everywhere.
  virtual void set(const setting& s) = 0;
  /// On rank 0: the statistics of the run are to have what all ranks count, from now on to its end. They have
  /// it when this returns, unless a rank does not answer soon.
  virtual void ask_for_figures() = 0;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
