#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "edge.hpp"

/// What the networks of one run say to each other when its stages are executed by several processes, each of
/// which has a rank. Nothing here knows how bytes get from one to the other: src/run/mpi does.
/// docs/distributed.md tells how it works.
namespace thalweg::run_detail::network {

class inbound;
class net;
class outbound;

/// Some of a stage's replicas, on one rank. A serial stage has one place with one replica.
struct place_of {
  int rank = 0;
  int replicas = 1;
  friend bool operator==(const place_of&, const place_of&) = default;
};

/// Where each stage is executed, by its number in the plan; of a farm, all stages have the same places.
/// Places are sorted by rank.
using mapping = std::vector<std::vector<place_of>>;

/// A run of items on its way to another rank. `number`: its place in the order of what was sent out.
struct parcel {
  std::int64_t number = 0;
  chunk_ptr items;
};

/// Joins the network of this rank to those of the others. A channel is an edge of the job's graph, with the
/// same number everywhere.
class exchange {
 public:
  virtual ~exchange() = default;

  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual const mapping& places() const noexcept = 0;
  /// How many runs of items a sender may have under way to one replica; 0: the network decides.
  [[nodiscard]] virtual int credits() const noexcept = 0;
  /// How many bytes of items to send at once, about.
  [[nodiscard]] virtual std::size_t run_bytes() const noexcept = 0;

  // While the network is laid out.

  /// The ends of a channel on this rank; null: it has none of that kind. `items`: an empty chunk for what
  /// travels.
  virtual void add(std::uint32_t channel, outbound* out, inbound* in, chunk_ptr items) = 0;

  // The run.

  /// All is laid out. With `on_caller` the calling thread is about to call `join`.
  virtual void start(net& of, bool on_caller) = 0;
  /// Returns when no rank has anything to say any more.
  virtual void join() = 0;
  /// A flag of the run may have changed, or its network has come to its end.
  virtual void wake() noexcept = 0;

  // Any thread.

  virtual void send(int to, std::uint32_t channel, parcel p) = 0;
  /// `runs` have been taken; as many items as `grant` are worth sending at once.
  virtual void give_credit(int to, std::uint32_t channel, int runs, std::size_t grant) = 0;
  /// All runs below this number have been put in order: to where they were numbered.
  virtual void tell_progress(int to, std::uint32_t channel, std::int64_t below) = 0;
  /// No more will come from here.
  virtual void send_end(int to, std::uint32_t channel) = 0;
};

}  // namespace thalweg::run_detail::network
