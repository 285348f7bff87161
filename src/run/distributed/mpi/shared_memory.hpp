#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "transport.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// Messages and their blocks between the ranks of one machine, through a window of memory that they share.
/// Each rank has a ring of bytes for each other one. The sender copies into its ring, and the receiver copies
/// from there to where the bytes belong. While the program runs nothing of MPI is called.
///
/// State: the head and the tail of each ring, both of which only grow, and a doorbell for each rank.
/// Written by: the sender writes bytes, then the head: one thread at a time, for all that have left a message
/// in the queue. The communication thread of the receiver writes the tail.
/// Invariant: tail <= head <= tail + size. A rank that sleeps, or waits for room, has said so before it looks
/// again. The other side looks for that after it has moved, so no wake-up is lost.
class shared_memory final : public transport {
 public:
  /// What a machine has at most for all rings between `ranks` ranks on it, and what one of them has.
  static constexpr std::size_t most_shared_bytes = std::size_t{16} << 20;
  [[nodiscard]] static std::size_t ring_bytes(int ranks) noexcept;

  /// All ranks of `comm` have to call it. Null: there is no other rank on this machine or, with `problem` set
  /// on all ranks of the machine, such memory cannot be had.
  /// `eager`: it pays to wait for another rank without sleeping, as it has a core of its own.
  [[nodiscard]] static std::unique_ptr<shared_memory> open(MPI_Comm comm, recipient& to, bool eager,
                                                           std::string& problem);
  ~shared_memory() override;

  [[nodiscard]] bool reaches(int rank) const noexcept;
  /// What the other ranks wake this one by.
  [[nodiscard]] doorbell& bell() noexcept { return *bell_; }

  void send(outgoing_message s) override;
  void close() override;
  bool look() override;
  [[nodiscard]] bool under_way() const override;
  [[nodiscard]] bool all_sent() const override;

 private:
  struct ring;
  struct outlet;
  struct inlet;

  shared_memory(MPI_Comm machine, recipient& to, bool eager);
  [[nodiscard]] std::string allocate();
  void join(MPI_Comm comm);
  bool pump(outlet& o);
  bool write(outlet& o, bool& moved);
  bool read(inlet& i);
  std::size_t take(inlet& i, std::uint64_t head, std::byte* to, std::size_t most);
  void free_up_to(inlet& i);
  void finish(inlet& i);

  MPI_Comm machine_;
  recipient& owner_;
  const std::chrono::nanoseconds patience_;  // with the other end of a ring, while it is at work
  int rank_ = 0, ranks_ = 1;                 // on this machine
  MPI_Win window_ = MPI_WIN_NULL;
  std::size_t size_;  // of a ring
  doorbell* bell_ = nullptr;
  std::vector<int> here_;  // by rank of the program: its place below, -1 for one that is elsewhere
  std::deque<outlet> out_;
  std::deque<inlet> in_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
