#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include <mpi.h>

#include "transport.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// Messages and their blocks as messages of MPI. MPI sends blocks from where they lie, and receives them
/// where they belong.
///
/// State: what waits to be sent, the requests that MPI works on, and for each sender the messages whose
/// blocks are still to come.
/// Written by: any thread adds to what waits, under a lock. All else belongs to the communication thread.
/// Invariant: MPI keeps the order of messages of one tag between two ranks, and of blocks of the other tag. A
/// message takes effect when all its blocks and all messages before it from the same rank have come.
class two_sided : public transport {
 public:
  two_sided(MPI_Comm comm, recipient& to);

  void send(outgoing_message s) override;
  bool look() override;
  [[nodiscard]] bool under_way() const override { return !requests_.empty(); }
  [[nodiscard]] bool all_sent() const override;

 protected:
  struct leaving {
    outgoing_message what;
    int open = 0;  // requests
  };
  struct arriving {
    std::unique_ptr<partial_receive> what;
    int open = 0;
  };

  /// Begins to send the blocks of a message that is on its way, and to receive those of one that has come.
  /// What is begun counts in `open` until it is through.
  virtual void send_blocks(leaving& s);
  virtual void receive_blocks(int from, arriving& into);
  /// A request of which something depends: at its end `out` and `in` have one less open, and `busy` is false.
  void track(MPI_Request r, leaving* out, arriving* in, bool* busy = nullptr);
  /// One of what `out` waits for is through.
  void sent(leaving& out);
  void deliver(int from);

  const MPI_Comm comm_;
  recipient& owner_;

 private:
  struct dependent {
    leaving* out;
    arriving* in;
    bool* busy;
  };

  bool ship();
  bool test();
  bool receive();
  void open_message(int from, bytes content);

  std::mutex lock_;
  std::deque<outgoing_message> outgoing_;  // under the lock
  std::atomic<bool> any_outgoing_{false};

  // Of the communication thread.
  std::vector<std::unique_ptr<leaving>> leaving_;
  std::vector<MPI_Request> requests_;
  std::vector<dependent> dependents_;                            // of each request
  std::vector<std::deque<std::unique_ptr<arriving>>> arriving_;  // by sender, in order
  std::vector<int> indices_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
