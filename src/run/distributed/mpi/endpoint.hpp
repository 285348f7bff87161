#pragma once

#include <thalweg/model/wire.hpp>
#include <thalweg/run/mpi.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "../graph/exchange.hpp"
#include "clocks.hpp"
#include "gather.hpp"
#include "join_request.hpp"
#include "message.hpp"
#include "shared_memory.hpp"
#include "transport.hpp"
#include "tree.hpp"

/// Messages in and out, with their credit and their pieces.
///
/// State: the channels of the job's graph, the transports to the other ranks, the messages kept for ranks
/// that have not joined yet, and how many messages there were.
/// Written by: any thread sends. The communication thread alone receives, and makes all calls of MPI.
/// Invariant: what this rank sends to another one takes effect there in the order of the calls. That holds
/// while a rank joins: what was kept for it goes first. A message counts as sent before a transport has it,
/// and as received when it is opened. After `stop_sending`, and once `all_sent` is true, no message leaves.
namespace THALWEG_NAMESPACE::run_detail::distributed {

class endpoint final : private recipient {
 public:
  using hearer = std::function<void(int from, const header&, std::span<const std::byte> content)>;

  /// `ranks` are there, and there may be `most` of them.
  endpoint(MPI_Comm comm, rank_tree tree, int ranks, int most, clocks times);

  // All ranks at once.

  /// Returns what is not as it was asked for. \throws error  on all ranks, if they cannot send messages in
  /// the way that was asked for
  [[nodiscard]] std::string open_transports(const mpi_options& how, bool crowded);
  /// Of a joiner.
  void open_transport_of_joiner();
  /// When no rank has anything to send.
  void close_transports();

  // Before the start.

  void add(std::uint32_t channel_id, const dataflow::route& way, dataflow::outbound* out,
           dataflow::receiver* in, dataflow::chunk_ptr items, const model::wire* how);
  /// `heard` learns the sender of each message that comes; `told` gets those that are not for a channel.
  void start(dataflow::graph_engine& of, std::function<void(int from)> heard, hearer told);

  // Any thread.

  [[nodiscard]] bool is_there(int rank) const noexcept { return rank < ranks(); }
  [[nodiscard]] int ranks() const noexcept { return there_.load(std::memory_order_acquire); }
  void wake() noexcept override;
  std::size_t send_items(int to, std::uint32_t channel_id, dataflow::item_message m);
  void give_credit(int to, std::uint32_t channel_id, int runs, std::size_t grant);
  void set_credit(int to, std::uint32_t channel_id, int most, int at_work);
  void tell_progress(int to, std::uint32_t channel_id, std::int64_t below);
  void send_end(int to, std::uint32_t channel_id);
  /// A message that is not for a channel, with what follows its header.
  void send(int to, const header& head, std::span<const std::byte> content = {});

  // The communication thread.

  /// Whether messages to ranks that are not there are kept for them.
  void expect_joiners(bool so) noexcept {
    reader_.expect_joiners(so);
    expects_joiners_ = so;
  }

  /// To all ranks down the tree whose root is the rank that began; this one passes it on.
  void broadcast(const header& head);
  void broadcast(header::kind what, int root);
  /// Joiners are there.
  void admit(const group& all);
  /// Moves what is on its way. False: nothing has moved.
  bool look();
  /// Changes when somebody wakes this thread.
  [[nodiscard]] std::uint32_t rung() const noexcept { return bell_->rung.load(); }
  /// Sleeps while `rung` stays so, for `most` at most. False: something has moved meanwhile.
  bool sleep(std::uint32_t rung, std::chrono::microseconds most);
  /// Something moves only while this thread looks.
  [[nodiscard]] bool under_way() const;
  /// Or soon moves by itself.
  [[nodiscard]] bool is_busy() const { return under_way() || (near_ && near_->under_way()); }
  /// Nobody wakes this thread for messages of MPI.
  [[nodiscard]] bool uses_mpi() const noexcept { return far_ || joined_; }
  void stop_sending() noexcept { closed_ = true; }
  [[nodiscard]] bool all_sent() const;

  /// How many messages this rank has sent, to each rank that is there and to one of them; how many it has
  /// received, and how many of these have not taken effect yet.
  [[nodiscard]] std::vector<std::int64_t> sent() const;
  [[nodiscard]] std::int64_t sent_to(int rank) const noexcept;
  [[nodiscard]] std::int64_t received() const noexcept { return received_; }
  [[nodiscard]] std::int64_t open_messages() const noexcept { return open_; }

  // For the report.

  [[nodiscard]] const clocks& times() const noexcept { return times_; }
  [[nodiscard]] std::vector<channel_totals> totals() const;
  /// Messages that are neither items nor credit.
  [[nodiscard]] std::uint64_t others() const noexcept { return others_.load(); }

 private:
  struct incoming final : partial_receive {
    header head;
    dataflow::chunk_ptr items;
    std::vector<bytes> held;  // blocks of items that could not be read, or not yet
    bytes content;            // of what is not for a channel
  };
  struct channel_end {
    dataflow::outbound* out = nullptr;
    dataflow::receiver* in = nullptr;
    dataflow::chunk_ptr like;
    const model::wire* how = nullptr;
    std::size_t from_stage = 0, to_stage = 0;
    std::unique_ptr<traffic> counted;
  };

  [[nodiscard]] std::size_t length(int from, std::uint64_t n) override;
  [[nodiscard]] std::unique_ptr<partial_receive> open(int from, std::span<const std::byte> content) override;
  void complete(int from, std::unique_ptr<partial_receive> whole) override;
  [[nodiscard]] buffer_pool& buffers() noexcept override { return pool_; }

  [[nodiscard]] std::string name_of(const channel_end& c) const;
  void put_header(int to, const header& head, std::span<const std::byte> content = {});
  void put(outgoing_message m);
  void keep(outgoing_message m);
  void ship(outgoing_message m);
  [[nodiscard]] transport& transport_to(int rank) noexcept;
  static void hold(incoming& m, std::span<const std::uint64_t> lengths);
  void read_items(int from, incoming& m, std::span<const std::byte> content,
                  std::span<const std::uint64_t> lengths);
  void read_what_was_apart(int from, incoming& m);
  void hand_over(int from, incoming& m);
  void to_our_clock(int from, pipe::chunk_base& items) const;

  const MPI_Comm comm_;
  const rank_tree tree_;
  clocks times_;
  dataflow::graph_engine* net_ = nullptr;
  std::function<void(int)> heard_;
  hearer told_;
  std::vector<channel_end> channels_;
  message_reader reader_;
  buffer_pool pool_;
  doorbell own_bell_;
  doorbell* bell_ = &own_bell_;
  std::unique_ptr<shared_memory> near_;                   // null: no rank is reached by it
  std::unique_ptr<transport> far_;                        // to all others that began; null: there are none
  std::unique_ptr<transport> joined_;                     // to joiners; null: there are none
  std::vector<std::atomic<std::int64_t>> messages_sent_;  // by receiver
  std::atomic<std::uint64_t> others_{0};
  std::int64_t received_ = 0, open_ = 0;
  std::atomic<bool> closed_{false}, deaf_{false};
  std::atomic<int> inside_{0};  // threads that may not have seen yet that it is closed, or deaf
  std::atomic<int> there_;      // ranks
  std::atomic<bool> expects_joiners_{false};
  std::mutex keeping_;
  std::vector<outgoing_message> kept_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
