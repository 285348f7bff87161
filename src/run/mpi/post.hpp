#pragma once

#include <thalweg/model/wire.hpp>
#include <thalweg/pipe/futex.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

#include "../network/exchange.hpp"

/// How ranks speak to each other. One thread of each makes all calls of MPI.
namespace thalweg::run_detail::across {

/// What stands at the head of each message.
struct envelope {
  enum class kind : std::uint8_t { items, credit, progress, end, stop, cancel, pause, resume };
  kind what = kind::items;
  std::uint8_t paced = 0, ranked = 0;
  std::uint32_t channel = 0;
  std::uint32_t items = 0;
  std::uint32_t blocks = 0;  ///< that follow, as messages of their own; their lengths stand behind this
  std::int64_t number = 0;   ///< of the run of items; of credit: how many runs; of progress: below which
  std::int64_t grant = 0;
  std::int64_t position = 0, born_ns = 0, upto = 0;
};

class post final : public network::exchange {
 public:
  /// `comm` is this run's own, and freed by it.
  /// `crowded`: there are more ranks than cores on this machine.
  post(MPI_Comm comm, network::mapping places, int credits, std::size_t run_bytes, bool crowded);
  ~post() override;

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] const network::mapping& places() const noexcept override { return places_; }
  [[nodiscard]] int credits() const noexcept override { return credits_; }
  [[nodiscard]] std::size_t run_bytes() const noexcept override { return run_bytes_; }
  void add(std::uint32_t channel, network::outbound* out, network::inbound* in,
           network::chunk_ptr items) override;
  void start(network::net& of, bool on_caller) override;
  void join() override;
  void wake() noexcept override;
  void send(int to, std::uint32_t channel, network::parcel p) override;
  void give_credit(int to, std::uint32_t channel, int runs, std::size_t grant) override;
  void tell_progress(int to, std::uint32_t channel, std::int64_t below) override;
  void send_end(int to, std::uint32_t channel) override;

 private:
  using bytes = std::vector<std::byte>;

  // A message on its way out: the letter, the blocks that follow it, and what they lie in.
  struct shipment {
    int to = 0;
    bytes letter;
    std::vector<std::span<const std::byte>> blocks;
    network::chunk_ptr items;
    int open = 0;  // requests
  };
  // A message of which blocks are still to come.
  struct delivery {
    envelope head;
    network::chunk_ptr items;
    std::vector<bytes> unwanted;
    int open = 0;
  };
  struct channel_end {
    network::outbound* out = nullptr;
    network::inbound* in = nullptr;
    network::chunk_ptr like;
    const model::wire* how = nullptr;
  };

  [[nodiscard]] bytes spare();
  void keep(bytes letter);
  void post_letter(int to, envelope head);
  void put(shipment s);
  void live();
  bool ship();
  bool sent();
  bool receive();
  void open_letter(int from, bytes letter);
  void deliver(int from);
  void act_on(int from, const envelope& head, network::chunk_ptr items);
  void look_at_flags();
  void tell_all(envelope::kind what, int root);
  void close();
  void wait_for(MPI_Request& r);
  void agree_on_error();
  void gather_counts();

  const MPI_Comm comm_;
  int rank_ = 0, ranks_ = 1;
  const network::mapping places_;
  const int credits_;
  const std::size_t run_bytes_;
  const bool crowded_;
  std::vector<channel_end> channels_;
  network::net* net_ = nullptr;
  bool on_caller_ = false;
  std::thread thread_;
  std::mutex joining_;

  std::mutex lock_;  // what follows
  std::deque<shipment> outgoing_;
  std::vector<bytes> spare_;
  bool closed_ = false;
  std::atomic<bool> any_outgoing_{false};
  pipe::futex_word rung_{0};
  std::atomic<bool> sleeping_{false};

  // Of the thread that speaks.
  std::vector<std::unique_ptr<shipment>> under_way_;
  std::vector<MPI_Request> requests_;
  std::vector<shipment*> of_request_;  // null: of a block that comes in
  std::vector<delivery*> into_;
  std::vector<std::deque<std::unique_ptr<delivery>>> arriving_;  // by sender, in order
  std::size_t blocks_open_ = 0;
  std::vector<std::int64_t> letters_sent_;  // by receiver
  std::int64_t letters_received_ = 0, letters_expected_ = -1;
  std::int64_t letters_to_come_ = 0;
  enum class step : std::uint8_t { not_yet, over_here, over_everywhere, counted };
  step closing_ = step::not_yet;
  MPI_Request agreeing_ = MPI_REQUEST_NULL;
  bool told_stop_ = false, told_cancel_ = false, told_pause_ = false;
  int idle_ = 0;
  std::vector<int> indices_;
};

}  // namespace thalweg::run_detail::across
